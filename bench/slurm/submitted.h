#pragma once

#include <string>
#include <vector>

#include "bench/slurm/study.h"

namespace ddlbench::bench {

/// A job of a study, as its file jobs.json lists it.
struct ListedJob {
  std::string name;  ///< of the folder with its results
  std::vector<int> ranks;
  std::vector<std::string> case_ids;
  std::string script;  ///< a path
  std::string id;      ///< Slurm's: "4711", or "4711_2" for a task of an array; empty until it is submitted
};

/// The jobs of a study, in STUDY/slurm/jobs.json.
struct JobList {
  std::string experiment;
  std::vector<ListedJob> jobs;
};

std::string jobs_file(const std::string& study);  ///< "STUDY/slurm/jobs.json"

/// Throws InputError if the file cannot be written.
void write_jobs(const std::string& study, const JobList& list);
/// Throws InputError if there is no such file, or it is not one that write_jobs() wrote.
JobList read_jobs(const std::string& study);
bool has_jobs(const std::string& study);

}  // namespace ddlbench::bench
