#include "bench/config/case_count.h"

#include <fmt/core.h>
#include <algorithm>
#include <vector>

#include "bench/config/problem.h"
#include "json/pointer.h"

namespace ddlbench::bench {
namespace {

using Json = nlohmann::ordered_json;

/// A setting and how many values it has: one, unless it is a list.
struct Sweep {
  std::string pointer;
  double values = 1;
};

Sweep sweep(std::string pointer, const Json& value) {
  return {std::move(pointer), value.is_array() ? static_cast<double>(value.size()) : 1};
}

/// Appends the lists of `workload` to `sweeps`. Returns the number of its models times the number of its global
/// batches.
double points_of(const Json& workload, const std::string& pointer, std::vector<Sweep>& sweeps) {
  const Sweep models = sweep(json::child(pointer, "model"), workload.at("model"));
  const Sweep batches = sweep(json::child(pointer, "global_batch"), workload.at("global_batch"));
  sweeps.insert(sweeps.end(), {models, batches});
  return models.values * batches.values;
}

double points_of_all(const Json& workload, std::vector<Sweep>& sweeps) {
  if (!workload.is_array()) return points_of(workload, "/workload", sweeps);
  sweeps.push_back(sweep("/workload", workload));
  double points = 0;
  for (std::size_t i = 0; i < workload.size(); ++i)
    points += points_of(workload[i], json::child("/workload", i), sweeps);
  return points;
}

/// Returns the number of pairs of a strategy and a number of ranks. Appends the lists to `sweeps`.
double runs_of(const Json& resolved, const Registries& registries, std::vector<Sweep>& sweeps) {
  const Sweep ranks = sweep("/devices/ranks", resolved.at("devices").at("ranks"));
  const Json& all = resolved.at("strategies");
  sweeps.insert(sweeps.end(), {ranks, sweep("/strategies", all)});
  double runs = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& kind = registries.strategy(all[i].at("kind").get<std::string>());
    if (kind.fixed_ranks != nullptr) {
      runs += 1;
    } else if (const auto own = all[i].find("ranks"); own != all[i].end()) {
      sweeps.push_back(sweep(json::child(json::child("/strategies", i), "ranks"), *own));
      runs += sweeps.back().values;
    } else {
      runs += ranks.values;
    }
  }
  return runs;
}

}  // namespace

void require_few_cases(const Json& resolved, const Registries& registries,
                       const std::map<std::string, json::Location>& locations, const json::Sources& sources) {
  const Json& seed = resolved.at("training").at("seed");
  std::vector<Sweep> sweeps{sweep("/training/seed", seed)};
  const double seeds = sweeps.front().values;
  const double product = seeds * points_of_all(resolved.at("workload"), sweeps) * runs_of(resolved, registries, sweeps);
  if (product <= static_cast<double>(max_cases)) return;
  const auto cases = static_cast<std::int64_t>(std::min(product, 1e18));
  const Sweep& longest = *std::max_element(sweeps.begin(), sweeps.end(),
                                           [](const Sweep& a, const Sweep& b) { return a.values < b.values; });
  throw ConfigError({{location_of(locations, longest.pointer), longest.pointer,
                      fmt::format("this experiment has {} cases, more than the {} that a run may have; this is its "
                                  "longest list: shorten it, or split the experiment",
                                  cases, max_cases)}},
                    sources);
}

}  // namespace ddlbench::bench
