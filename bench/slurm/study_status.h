#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/slurm/job_states.h"
#include "bench/slurm/submitted.h"

namespace ddlbench::bench {

/// What became of a case.
struct CaseStatus {
  std::string id;
  std::string job;    ///< the name of its job
  std::string state;  ///< "running"; "waiting", also if it is to run again; "missing" if its job ended before it, "cut
                      ///< off" if during it; otherwise the status of its record
  std::string reason;
  std::optional<double> step_seconds = {};
  std::optional<double> efficiency_ratio = {};  ///< compared with the best one-rank case of all jobs
};

struct JobStatus {
  ListedJob job;
  std::optional<JobState> state = {};  ///< nothing if it was not submitted, or Slurm has forgotten it
  std::vector<CaseStatus> cases;
  std::string note;  ///< why the journal could not be read; empty if it could, or there is none
};

/// Reads the journals of a study's jobs. Cases of different jobs did not take turns: the efficiency compares the step
/// times that their own jobs measured.
std::vector<JobStatus> study_status(const std::string& study, const JobList& list, const JobStates& states);

/// Returns a table of the jobs, and one of the cases.
std::string format_status(const std::vector<JobStatus>& jobs);

}  // namespace ddlbench::bench
