#include "bench/slurm/study_status.h"

#include <fmt/core.h>
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/group_of.h"
#include "base/join.h"
#include "base/units.h"
#include "bench/records/comparison.h"
#include "bench/records/store.h"
#include "bench/records/timed_cases.h"
#include "bench/report/grid.h"

namespace ddlbench::bench {
namespace {

/// The records of a job's folder.
struct JobRecords {
  std::vector<CaseRecord> cases;            ///< with the step times of its rounds
  std::map<std::string, std::size_t> ends;  ///< indices into `cases`, by id
  std::set<std::string> started;            ///< ids
  std::vector<std::string> planned;         ///< ids; empty before ddlbench has listed its cases
  std::string note;
};

JobRecords read_job(const std::string& folder) {
  JobRecords read;
  std::error_code ignored;
  if (!std::filesystem::exists(journal_path(folder), ignored)) return read;
  try {
    const Records records = read_records(folder);
    read.cases = TimedCases(records).cases();
    for (const CaseRecord& record : read.cases) read.ends.emplace(record.case_id, read.ends.size());
    for (const StartedCase& started : records.started) read.started.insert(started.case_id);
    for (const PlannedCase& planned : records.planned) read.planned.push_back(planned.case_id);
  } catch (const InputError& error) {
    read.note = error.what();
  }
  return read;
}

bool can_run(const std::optional<JobState>& state) {
  return state && !state->has_ended();
}

/// Returns the state of a case that has not ended.
std::string state_without_end(const JobStatus& job, bool has_started) {
  if (has_started && job.state && job.state->is_running()) return "running";
  if (can_run(job.state)) return "waiting";
  if (has_started) return "cut off";
  return job.job.id.empty() ? "not submitted" : "missing";
}

CaseStatus status_of(const std::string& id, const JobStatus& job, const JobRecords& records) {
  CaseStatus status{id, job.job.name, "", "", {}, {}};
  const auto end = records.ends.find(id);
  if (end == records.ends.end()) {
    status.state = state_without_end(job, records.started.contains(id));
    return status;
  }
  const CaseRecord& record = records.cases[end->second];
  if (can_run(job.state) && has_infrastructure_failure(record)) {  // a requeued job runs it again
    status.state = "waiting";
    return status;
  }
  status.state = name(record.status);
  status.reason = record.status_reason;
  if (record.measurement && record.measurement->repetitions > 0) status.step_seconds = record.measurement->step_seconds;
  return status;
}

/// Returns the ids of a job's cases: those of its journal, once it has them. They may differ from the listed ones: on a
/// machine with other cores, `single` may have another number of cases.
const std::vector<std::string>& ids_of_job(const ListedJob& job, const JobRecords& records) {
  return records.planned.empty() ? job.case_ids : records.planned;
}

void add_efficiency(std::vector<JobStatus>& jobs, const std::vector<CaseRecord>& records) {
  std::map<std::string, std::optional<double>> ratios;
  const std::vector<Comparison> comparisons = compare(records);
  for (std::size_t i = 0; i < records.size(); ++i) ratios[records[i].case_id] = comparisons[i].efficiency_ratio;
  for (JobStatus& job : jobs) {
    for (CaseStatus& one : job.cases) {
      if (one.step_seconds && ratios.contains(one.id)) one.efficiency_ratio = ratios.at(one.id);
    }
  }
}

std::string percentage_of(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.0f} %", *ratio * 100) : "";
}

std::string state_of(const JobStatus& job) {
  if (job.job.id.empty()) return "not submitted";
  return job.state ? job.state->name : "ended";  // Slurm has forgotten it
}

/// "2 ok, 1 running"
std::string summary_of(const std::vector<CaseStatus>& cases) {
  std::vector<std::pair<std::string, int>> counts;
  for (const CaseStatus& one : cases) ++group_of(counts, one.state);
  return joined(counts, ", ", [](const auto& count) { return fmt::format("{} {}", count.second, count.first); });
}

}  // namespace

std::vector<JobStatus> study_status(const std::string& study, const JobList& list, const JobStates& states) {
  std::vector<JobStatus> jobs;
  std::vector<CaseRecord> records;
  for (const ListedJob& one : list.jobs) {
    JobStatus& job = jobs.emplace_back(JobStatus{one, {}, {}, ""});
    if (const auto found = states.find(one.id); found != states.end()) job.state = found->second;
    const JobRecords read = read_job(results_folder(study, one.name));
    job.note = read.note;
    for (const std::string& id : ids_of_job(one, read)) job.cases.push_back(status_of(id, job, read));
    records.insert(records.end(), read.cases.begin(), read.cases.end());
  }
  add_efficiency(jobs, records);
  return jobs;
}

std::string format_status(const std::vector<JobStatus>& jobs) {
  using enum Grid::Align;
  Grid table({left, left, left, left, left, right, right, left});
  table.add({"job", "results", "ranks", "state", "nodes", "time", "cores used", "cases"});
  Grid cases({left, left, left, right, right, left});
  cases.add({"case", "results", "state", "step", "efficiency", ""});
  std::string notes;
  for (const JobStatus& job : jobs) {
    const JobState state = job.state.value_or(JobState{});
    const std::string nodes = state.reason.empty() ? state.nodes : "pending: " + state.reason;
    table.add({job.job.id, job.job.name, joined(job.job.ranks), state_of(job), nodes, state.elapsed,
               percentage_of(state.cpu_efficiency_ratio), summary_of(job.cases)});
    for (const CaseStatus& one : job.cases) {
      cases.add({one.id, one.job, one.state, one.step_seconds ? format_seconds(*one.step_seconds) : "",
                 percentage_of(one.efficiency_ratio), one.reason});
    }
    if (!job.note.empty()) notes += fmt::format("{}: {}\n", job.job.name, job.note);
  }
  return table.text(0) + "\n" + cases.text(0) + notes;
}

}  // namespace ddlbench::bench
