#include "bench/slurm/study.h"

#include <fmt/core.h>
#include <algorithm>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/join.h"
#include "bench/config/variants.h"

namespace ddlbench::bench {
namespace {

constexpr std::size_t longest_filter = 1000;  // of --filter

/// What "-r4(-|$)" matches.
bool names_ranks(const std::string& text, int ranks) {
  const std::string part = fmt::format("-r{}", ranks);
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    if (end == text.size() || text[end] == '-') return true;
  }
  return false;
}

/// Returns a regular expression that matches, by id or strategy, these cases and no others.
std::string filter_for(const std::vector<const Case*>& wanted, int ranks, const std::vector<Case>& all) {
  const auto matching = std::count_if(all.begin(), all.end(), [&](const Case& which) {
    return names_ranks(which.id, ranks) || names_ranks(which.strategy.label, ranks);
  });
  const bool is_wanted =
      std::all_of(wanted.begin(), wanted.end(), [&](const Case* which) { return names_ranks(which->id, ranks); });
  if (is_wanted && matching == static_cast<std::ptrdiff_t>(wanted.size())) return fmt::format("-r{}(-|$)", ranks);
  const std::string ids = fmt::format("^({})$", joined(wanted, "|", [](const Case* which) { return which->id; }));
  if (ids.size() > longest_filter) {
    throw InputError(
        fmt::format("the {} cases on {} ranks cannot be selected by a regular expression of at most {} characters; "
                    "leave out --filter "
                    "and name the cases in the experiment, or use --layout allocation",
                    wanted.size(), ranks, longest_filter));
  }
  return ids;
}

std::vector<std::string> ids_of(const std::vector<const Case*>& cases) {
  std::vector<std::string> ids;
  for (const Case* which : cases) ids.push_back(which->id);
  return ids;
}

/// Returns the allocation in which each of these cases can run, as far as it can run at all: that of the most ranks of
/// each variant.
Allocation allocation_of(const Experiment& experiment, const std::vector<const Case*>& cases,
                         const Placement& placement) {
  std::map<int, const Case*> most_ranks;  // by variant
  for (const Case* which : cases) {
    if (!which->unsupported.empty()) continue;
    const auto [found, is_new] = most_ranks.try_emplace(which->variant, which);
    if (!is_new && which->ranks > found->second->ranks) found->second = which;
  }
  std::optional<Allocation> all;
  for (const auto& [variant, which] : most_ranks) {
    const Allocation one = allocation_for(devices_of(experiment, *which), which->ranks, placement);
    all = all ? enclosing(*all, one) : one;
  }
  return all.value_or(Allocation{});
}

StudyJob job_for_all(const Allocation& allocation, const std::vector<int>& ranks,
                     const std::vector<const Case*>& chosen, bool are_all) {
  StudyJob job{"all-ranks", ranks, "", ids_of(chosen), allocation};
  if (are_all) return job;
  job.filter = fmt::format("^({})$", joined(job.case_ids, "|"));
  if (job.filter.size() > longest_filter) {
    throw InputError(
        fmt::format("--filter selects {} cases, too many to name them in a job; leave it out and name the "
                    "cases in the experiment",
                    chosen.size()));
  }
  return job;
}

}  // namespace

std::vector<StudyJob> jobs_of(const Experiment& experiment, const std::vector<Case>& all,
                              const std::vector<Case>& chosen, const StudyRequest& request) {
  std::map<int, std::vector<const Case*>> of_ranks;
  std::vector<const Case*> every;
  for (const Case& which : chosen) {
    of_ranks[which.ranks].push_back(&which);
    every.push_back(&which);
  }
  std::vector<int> ranks;
  std::vector<StudyJob> jobs;
  for (const auto& [number, cases] : of_ranks) {
    const bool can_run =
        std::any_of(cases.begin(), cases.end(), [](const Case* which) { return which->unsupported.empty(); });
    if (!can_run) continue;
    ranks.push_back(number);
    if (request.layout == Layout::allocation) continue;
    jobs.push_back({fmt::format("ranks-{}", number),
                    {number},
                    filter_for(cases, number, all),
                    ids_of(cases),
                    allocation_of(experiment, cases, request.placement)});
  }
  if (ranks.empty()) throw InputError("no case can run; ddlbench --dry-run says why");
  if (request.layout == Layout::jobs) return jobs;
  const Allocation largest = allocation_of(experiment, every, request.placement);
  if (request.layout == Layout::allocation) return {job_for_all(largest, ranks, every, chosen.size() == all.size())};
  for (StudyJob& job : jobs) job.allocation = largest;
  return jobs;
}

std::string slurm_folder(const std::string& study) {
  return study + "/slurm";
}
std::string experiment_file(const std::string& study) {
  return slurm_folder(study) + "/experiment.json";
}
std::string results_folder(const std::string& study, const std::string& job) {
  return fmt::format("{}/{}", study, job);
}

}  // namespace ddlbench::bench
