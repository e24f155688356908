#include "bench/slurm/submitted.h"

#include <fmt/core.h>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "bench/records/file.h"

namespace ddlbench::bench {

std::string jobs_file(const std::string& study) {
  return slurm_folder(study) + "/jobs.json";
}

void write_jobs(const std::string& study, const JobList& list) {
  nlohmann::ordered_json document{{"experiment", list.experiment}, {"jobs", nlohmann::ordered_json::array()}};
  for (const ListedJob& job : list.jobs) {
    nlohmann::ordered_json one{
        {"name", job.name}, {"ranks", job.ranks}, {"cases", job.case_ids}, {"script", job.script}};
    one["job_id"] = job.id.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(job.id);
    document["jobs"].push_back(std::move(one));
  }
  write_file_atomically(jobs_file(study), document.dump(2) + "\n");
}

bool has_jobs(const std::string& study) {
  std::error_code ignored;
  return std::filesystem::exists(jobs_file(study), ignored);
}

JobList read_jobs(const std::string& study) {
  const std::string path = jobs_file(study);
  if (!has_jobs(study)) {
    throw InputError(
        fmt::format("{}: there is no such file; name the folder that ddlbench slurm --output wrote", path));
  }
  JobList list;
  try {
    const auto document = nlohmann::json::parse(read_file(path));
    document.at("experiment").get_to(list.experiment);
    for (const auto& one : document.at("jobs")) {
      ListedJob& job = list.jobs.emplace_back();
      one.at("name").get_to(job.name);
      one.at("ranks").get_to(job.ranks);
      one.at("cases").get_to(job.case_ids);
      one.at("script").get_to(job.script);
      if (!one.at("job_id").is_null()) one.at("job_id").get_to(job.id);
    }
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: not a list of jobs that ddlbench slurm wrote: {}", path, error.what()));
  }
  return list;
}

}  // namespace ddlbench::bench
