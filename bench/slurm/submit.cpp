#include "bench/slurm/submit.h"

#include <fmt/core.h>
#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/join.h"
#include "bench/records/file.h"
#include "bench/slurm/captured_command.h"
#include "bench/slurm/submitted.h"

namespace ddlbench::bench {
namespace {

std::string script_file(const std::string& study, const std::string& name) {
  return fmt::format("{}/{}.sh", slurm_folder(study), name);
}

/// Returns the list of a study's jobs before they are submitted.
JobList listed(const std::string& study, const std::string& experiment, const std::vector<BatchScript>& scripts) {
  JobList list{experiment, {}};
  for (const BatchScript& script : scripts) {
    for (const StudyJob& job : script.jobs)
      list.jobs.push_back({job.name, job.ranks, job.case_ids, script_file(study, script.name), ""});
  }
  return list;
}

bool has_text(const std::string& path, const std::string& text) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) && read_file(path) == text;
}

/// Returns whether the files of a study are those that write_study() would write, except for the ids of its jobs.
bool is_written(const std::string& study, const JobList& written, const JobList& list,
                const std::string& resolved_experiment, const std::vector<BatchScript>& scripts) {
  const auto same_job = [](const ListedJob& one, const ListedJob& other) {
    return one.name == other.name && one.script == other.script && one.case_ids == other.case_ids;
  };
  return std::equal(written.jobs.begin(), written.jobs.end(), list.jobs.begin(), list.jobs.end(), same_job) &&
         has_text(experiment_file(study), resolved_experiment) &&
         std::all_of(scripts.begin(), scripts.end(),
                     [&](const BatchScript& script) { return has_text(script_file(study, script.name), script.text); });
}

/// Returns whether jobs of this study were submitted, and others, with the same scripts, were not. Throws InputError if
/// all were submitted, or the scripts have changed since.
bool is_partly_submitted(const std::string& study, const JobList& list, const std::string& resolved_experiment,
                         const std::vector<BatchScript>& scripts) {
  if (!has_jobs(study)) return false;
  const JobList written = read_jobs(study);
  std::vector<std::string> ids;
  for (const ListedJob& job : written.jobs) {
    if (!job.id.empty()) ids.push_back(job.id);
  }
  if (ids.empty()) return false;
  const bool are_all = ids.size() == written.jobs.size();
  if (!are_all && is_written(study, written, list, resolved_experiment, scripts)) return true;
  throw InputError(fmt::format(
      "{}: {} submitted from there ({}){}; ddlbench slurm status {} shows what became of {}; name another folder with "
      "--output",
      study, ids.size() == 1 ? "a job was" : "jobs were", joined(ids),
      are_all ? "" : ", and the scripts of the others would change", study, ids.size() == 1 ? "it" : "them"));
}

std::string submit(const std::string& script) {
  const CapturedCommand ended = run_captured({"sbatch", "--parsable", script});
  if (ended.exit_code != 0) throw InputError(fmt::format("sbatch refuses {}: {}", script, error_line(ended, "sbatch")));
  // "4711" or "4711;cluster"
  return ended.output.substr(0, ended.output.find_first_of(";\n"));
}

}  // namespace

void write_study(const std::string& study, const std::string& experiment, const std::string& resolved_experiment,
                 const std::vector<BatchScript>& scripts) {
  const JobList list = listed(study, experiment, scripts);
  if (is_partly_submitted(study, list, resolved_experiment, scripts)) return;
  std::error_code error;
  std::filesystem::create_directories(slurm_folder(study), error);
  if (error) throw InputError(fmt::format("{}: cannot be created: {}", slurm_folder(study), error.message()));
  write_file_atomically(experiment_file(study), resolved_experiment);
  for (const BatchScript& script : scripts) write_file_atomically(script_file(study, script.name), script.text);
  write_jobs(study, list);
}

void submit_study(const std::string& study, std::ostream& notes) {
  JobList list = read_jobs(study);
  for (std::size_t first = 0; first < list.jobs.size();) {
    const std::string script = list.jobs[first].script;
    std::size_t end = first;
    while (end < list.jobs.size() && list.jobs[end].script == script) ++end;
    if (const std::string& known = list.jobs[first].id; !known.empty()) {
      notes << fmt::format("ddlbench: {} was submitted before, as job {}\n", script, known.substr(0, known.find('_')));
      first = end;
      continue;
    }
    const std::string id = submit(script);
    const bool is_array = end - first > 1 || script.ends_with("/array.sh");
    for (std::size_t task = 0; first + task < end; ++task)
      list.jobs[first + task].id = is_array ? fmt::format("{}_{}", id, task) : id;
    write_jobs(study, list);
    notes << fmt::format("ddlbench: submitted {} as job {}\n", script, id);
    first = end;
  }
}

}  // namespace ddlbench::bench
