#include "bench/compare/compare_runs.h"

#include <algorithm>
#include <cmath>

#include "bench/records/comparison.h"
#include "bench/records/rounds.h"

namespace ddlbench::bench {
namespace {

constexpr std::size_t fewest_rounds = 2;  ///< for an interval

TimeComparison by_steps(const CaseRecord& old_case, const CaseRecord& new_case) {
  const Interval faster = ratio_of_steps(*new_case.measurement, *old_case.measurement);
  return {{std::log(faster.value), std::log(faster.low), std::log(faster.high)}, 1};
}

const RunNoise& noise_of_contract(RunComparison& comparison, const RunResults& old_run, const RunResults& new_run,
                                  const std::string& contract_id) {
  const auto known = std::find_if(comparison.noise.begin(), comparison.noise.end(),
                                  [&](const auto& entry) { return entry.first == contract_id; });
  if (known != comparison.noise.end()) return known->second;
  return comparison.noise.emplace_back(contract_id, noise_of(old_run, new_run, contract_id)).second;
}

}  // namespace

RunComparison compare_runs(const RunResults& old_run, const RunResults& new_run, double margin) {
  RunComparison comparison;
  const Rounds old_rounds(old_run.records.visits), new_rounds(new_run.records.visits);
  for (CasePair& pair : pair_cases(old_run, new_run)) {
    ComparedCase& compared = comparison.cases.emplace_back();
    compared.cases = std::move(pair);
    if (!compared.cases.why.empty()) continue;
    const CaseRecord &old_case = *compared.cases.old_case, &new_case = *compared.cases.new_case;
    const std::vector<double> before = old_rounds.log_times({old_case.case_id, false});
    const std::vector<double> after = new_rounds.log_times({new_case.case_id, false});
    compared.without_rounds = before.size() < fewest_rounds || after.size() < fewest_rounds;
    if (compared.without_rounds) {
      compared.times = by_steps(old_case, new_case);
    } else {
      compared.times = compare_unpaired(after, before, new_case.seed);
      compared.margins = margins_of(noise_of_contract(comparison, old_run, new_run, new_case.contract_id), margin);
    }
  }
  decide(comparison.cases);
  return comparison;
}

}  // namespace ddlbench::bench
