#include "bench/config/run_order.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ddlbench::bench {

std::vector<Case> in_run_order(const std::vector<Case>& cases) {
  std::map<std::uint64_t, std::size_t> seeds;    ///< places, in the order in which the seeds occur
  std::map<std::string, std::size_t> contracts;  ///< likewise
  for (const Case& which : cases) {
    seeds.emplace(which.seed, seeds.size());
    contracts.emplace(which.contract_id, contracts.size());
  }
  std::vector<Case> ordered = cases;
  const auto place = [&](const Case& which) {
    return std::tuple(seeds.at(which.seed), contracts.at(which.contract_id), which.ranks);
  };
  std::stable_sort(ordered.begin(), ordered.end(), [&](const Case& a, const Case& b) { return place(a) < place(b); });
  return ordered;
}

}  // namespace ddlbench::bench
