#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/page/run_results.h"

namespace ddlbench::bench {

/// A value that differs between two runs, as text; "–" where a run lacks it.
struct Difference {
  std::string name, old_value, new_value;
  bool operator==(const Difference&) const = default;
};

/// Return what differs between two JSON objects, sorted by name; names join the keys with `between`.
std::vector<Difference> differences(const nlohmann::json& old_object, const nlohmann::json& new_object, char between);

/// Returns what differs in environment.json: "build.git_commit". What differs from run to run, or follows from the
/// cases, does not count: the time of the run, its command, the hash of its configuration, the ranks on a host.
std::vector<Difference> environment_differences(const RunResults& old_run, const RunResults& new_run);

/// Returns what differs in config.json: "measure/max_seconds".
std::vector<Difference> config_differences(const RunResults& old_run, const RunResults& new_run);

/// Returns "measure/max_seconds (60 → 20), …".
std::string listed(const std::vector<Difference>& found);

/// Returns why the contracts of two cases differ: the settings with both values, "training/optimizer/learning_rate (0.1
/// → 0.2)"; or that their configurations show no difference.
std::string contract_difference(const RunResults& old_run, const CaseRecord& old_case, const RunResults& new_run,
                                const CaseRecord& new_case);

}  // namespace ddlbench::bench
