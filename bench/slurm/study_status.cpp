#include "bench/slurm/study_status.h"

#include <fmt/core.h>
#include <algorithm>
#include <filesystem>
#include <map>

#include "base/error.h"
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
  std::vector<CaseRecord> cases;  ///< with the step times of its rounds
  std::vector<StartedCase> started;
  std::string note;
};

JobRecords read_job(const std::string& folder) {
  JobRecords read;
  std::error_code ignored;
  if (!std::filesystem::exists(journal_path(folder), ignored)) return read;
  try {
    const Records records = read_records(folder);
    read.cases = TimedCases(records).cases();
    read.started = records.started;
  } catch (const InputError& error) {
    read.note = error.what();
  }
  return read;
}

bool can_run(const std::optional<JobState>& state) {
  return state && !state->has_ended();
}

CaseStatus status_of(const std::string& id, const JobStatus& job, const JobRecords& records) {
  const auto starts = std::count_if(records.started.begin(), records.started.end(),
                                    [&](const StartedCase& one) { return one.case_id == id; });
  std::ptrdiff_t ends = 0;
  const CaseRecord* last = nullptr;
  for (const CaseRecord& record : records.cases) {
    if (record.case_id != id) continue;
    last = &record;
    ++ends;
  }
  CaseStatus status{id, job.job.name, "", "", {}, {}};
  if (starts > ends) {
    status.state = job.state && job.state->is_running() ? "running" : can_run(job.state) ? "waiting" : "cut off";
  } else if (last != nullptr) {
    status.state = name(last->status);
    status.reason = last->status_reason;
    if (last->measurement && last->measurement->repetitions > 0) status.step_seconds = last->measurement->step_seconds;
  } else {
    status.state = can_run(job.state) ? "waiting" : job.job.id.empty() ? "not submitted" : "missing";
  }
  return status;
}

/// "ddp-r2" of "003-ddp-r2"
std::string without_number(const std::string& id) {
  const std::size_t dash = id.find('-');
  return dash == std::string::npos ? id : id.substr(dash + 1);
}

/// Returns the ids of a job's cases: those of the journal, and the planned ones that are not there. A job may see other
/// cores than the machine on which it was planned, and so other cases of `single`: then the numbers differ.
std::vector<std::string> ids_of_job(const ListedJob& job, const JobRecords& records) {
  std::vector<std::string> ids;
  std::map<std::string, int> left;  // those of the journal that no planned case has taken, without their numbers
  const auto add = [&](const std::string& id) {
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) return;
    ids.push_back(id);
    ++left[without_number(id)];
  };
  for (const CaseRecord& record : records.cases) add(record.case_id);
  for (const StartedCase& started : records.started) add(started.case_id);
  for (const std::string& id : job.case_ids) {
    if (left[without_number(id)]-- <= 0) ids.push_back(id);
  }
  return ids;
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
  std::vector<std::string> order;
  std::map<std::string, int> counts;
  for (const CaseStatus& one : cases) {
    if (counts[one.state]++ == 0) order.push_back(one.state);
  }
  return joined(order, ", ", [&](const std::string& state) { return fmt::format("{} {}", counts.at(state), state); });
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
