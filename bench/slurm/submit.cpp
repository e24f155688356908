#include "bench/slurm/submit.h"

#include <fmt/core.h>
#include <filesystem>

#include "base/error.h"
#include "base/join.h"
#include "bench/records/file.h"
#include "bench/slurm/captured_command.h"
#include "bench/slurm/submitted.h"

namespace ddlbench::bench {
namespace {

void refuse_submitted(const std::string& study) {
  if (!has_jobs(study)) return;
  std::vector<std::string> ids;
  for (const ListedJob& job : read_jobs(study).jobs) {
    if (!job.id.empty()) ids.push_back(job.id);
  }
  if (ids.empty()) return;
  throw InputError(fmt::format(
      "{}: {} submitted from there ({}); ddlbench slurm status {} shows what became of {}; name "
      "another folder with --output",
      study, ids.size() == 1 ? "a job was" : "jobs were", joined(ids), study, ids.size() == 1 ? "it" : "them"));
}

std::string script_file(const std::string& study, const std::string& name) {
  return fmt::format("{}/{}.sh", slurm_folder(study), name);
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
  refuse_submitted(study);
  std::error_code error;
  std::filesystem::create_directories(slurm_folder(study), error);
  if (error) throw InputError(fmt::format("{}: cannot be created: {}", slurm_folder(study), error.message()));
  JobList list{experiment, {}};
  write_file_atomically(experiment_file(study), resolved_experiment);
  for (const BatchScript& script : scripts) {
    const std::string path = script_file(study, script.name);
    write_file_atomically(path, script.text);
    for (const StudyJob& job : script.jobs) list.jobs.push_back({job.name, job.ranks, job.case_ids, path, ""});
  }
  write_jobs(study, list);
}

void submit_study(const std::string& study, std::ostream& notes) {
  JobList list = read_jobs(study);
  for (std::size_t first = 0; first < list.jobs.size();) {
    const std::string script = list.jobs[first].script;
    const std::string id = submit(script);
    std::size_t end = first;
    while (end < list.jobs.size() && list.jobs[end].script == script) ++end;
    const bool is_array = end - first > 1 || script.ends_with("/array.sh");
    for (std::size_t task = 0; first + task < end; ++task)
      list.jobs[first + task].id = is_array ? fmt::format("{}_{}", id, task) : id;
    write_jobs(study, list);
    notes << fmt::format("ddlbench: submitted {} as job {}\n", script, id);
    first = end;
  }
}

}  // namespace ddlbench::bench
