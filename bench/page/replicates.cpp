#include "bench/page/replicates.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

#include "bench/report/replicate_key.h"
#include "bench/report/seed_estimate.h"

namespace ddlbench::bench {

std::vector<Replicates> replicates_of(const RunResults& results) {
  std::vector<Replicates> all;
  std::map<std::pair<ReplicateKey, std::uint64_t>, int> with_seed;
  std::map<std::pair<ReplicateKey, int>, std::size_t> places;
  for (const CaseRow& row : results.rows) {
    const ReplicateKey key = replicate_key(row.record);
    const int repeated = with_seed[{key, row.record.seed}]++;
    const auto [place, is_new] = places.try_emplace({key, repeated}, all.size());
    if (is_new) all.emplace_back();
    all[place->second].push_back(&row);
  }
  return all;
}

ChartValue over_seeds(const std::vector<ChartValue>& values, Scale scale) {
  if (values.size() == 1) return values.front();
  const bool logarithmic = scale == Scale::logarithmic;
  std::vector<double> numbers;
  for (const ChartValue& one : values) numbers.push_back(logarithmic ? std::log(one.value) : one.value);
  const Interval estimate = estimate_over_seeds(numbers);
  const Interval found = logarithmic ? exponential(estimate) : estimate;
  return {found.value, found.low, found.high};
}

bool any_ranked(const RunResults& results, const Replicates& replicates) {
  return std::any_of(replicates.begin(), replicates.end(),
                     [&](const CaseRow* row) { return results.is_ranked(row->record); });
}

Replicates preferred(const Replicates& all, const std::function<bool(const CaseRow&)>& counts) {
  Replicates chosen;
  std::copy_if(all.begin(), all.end(), std::back_inserter(chosen), [&](const CaseRow* row) { return counts(*row); });
  return chosen.empty() ? all : chosen;
}

std::string describe_replicates(const Replicates& replicates) {
  const CaseRecord& first = replicates.front()->record;
  if (replicates.size() == 1) return describe_case(first);
  return fmt::format("{}, {}, {} seeds", first.strategy, ranks_and_threads(first), replicates.size());
}

}  // namespace ddlbench::bench
