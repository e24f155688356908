#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/config/experiment.h"
#include "bench/slurm/allocation.h"

namespace ddlbench::bench {

/// How the cases of an experiment are divided into jobs.
enum class Layout : std::uint8_t {
  jobs,        ///< one job for each number of ranks
  array,       ///< one job array with a task for each number of ranks
  allocation,  ///< one job with the largest allocation, in which all cases run, and the rounds over all of them
};

/// What the user says about the jobs, besides the experiment. Texts that are empty are left to Slurm.
struct StudyRequest {
  std::string folder;  ///< of the whole study, an absolute path
  Layout layout = Layout::jobs;
  Placement placement;
  std::string partition, time, account;
  std::string gpu_type;                       ///< "a100"
  std::vector<std::string> sbatch_options;    ///< more options of sbatch, "--qos=long" each
  std::vector<std::string> before;            ///< shell commands before the cases, such as "module load mpich"
  std::vector<std::string> ddlbench_options;  ///< more options of ddlbench, "--retries=2" each
  int simultaneous = 1;                       ///< tasks of an array that may run at the same time
  std::string program;                        ///< the path of ddlbench
  std::string working_folder;                 ///< to which relative paths in the experiment refer
};

/// The cases that one job, or one task of an array, runs.
struct StudyJob {
  std::string name;        ///< "ranks-4", or "all-ranks"
  std::vector<int> ranks;  ///< ascending
  std::string filter;      ///< for --filter; empty: all cases
  std::vector<std::string> case_ids;
  Allocation allocation;
};

/// Divides the cases into jobs, by ascending number of ranks. A filter matches exactly the cases of its job. A job has
/// the allocation that its most demanding cases need, of those that can run. Throws InputError if a job cannot be
/// described: allocation_for(), or a filter that would be too long.
std::vector<StudyJob> jobs_of(const Experiment& experiment, const std::vector<Case>& all,
                              const std::vector<Case>& chosen, const StudyRequest& request);

/// The files of a study.
std::string slurm_folder(const std::string& study);                            ///< "STUDY/slurm"
std::string experiment_file(const std::string& study);                         ///< "STUDY/slurm/experiment.json"
std::string results_folder(const std::string& study, const std::string& job);  ///< "STUDY/ranks-4"

}  // namespace ddlbench::bench
