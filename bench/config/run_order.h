#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace ddlbench::bench {

/// Returns cases (Case, PlannedCase) in the order in which they run, so that early results are useful: all cases with
/// the first seed first; of these contract by contract, so that the cases of a contract can take their turns as soon as
/// it has ended; and within a contract from few ranks to many.
template <class One>
std::vector<One> in_run_order(const std::vector<One>& cases) {
  std::map<std::uint64_t, std::size_t> seeds;    // places, in the order in which the seeds occur
  std::map<std::string, std::size_t> contracts;  // likewise
  for (const One& which : cases) {
    seeds.emplace(which.seed, seeds.size());
    contracts.emplace(which.contract_id, contracts.size());
  }
  std::vector<One> ordered = cases;
  const auto place = [&](const One& which) {
    return std::tuple(seeds.at(which.seed), contracts.at(which.contract_id), which.ranks);
  };
  std::stable_sort(ordered.begin(), ordered.end(), [&](const One& a, const One& b) { return place(a) < place(b); });
  return ordered;
}

}  // namespace ddlbench::bench
