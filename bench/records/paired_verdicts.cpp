#include "bench/records/paired_verdicts.h"

#include <algorithm>
#include <cmath>

namespace ddlbench::bench {
namespace {

/// The same comparison with the cases exchanged.
TimeComparison reversed(const TimeComparison& comparison) {
  const Interval& of = comparison.log_ratio;
  return {{-of.value, -of.high, -of.low}, comparison.p};
}

/// Returns the comparison of the baseline's two copies.
std::optional<TimeComparison> compare_copies(const Rounds& rounds, const std::vector<std::string>& case_ids,
                                             std::uint64_t seed) {
  for (const std::string& id : case_ids) {
    const std::vector<double> ratios = rounds.log_ratios({id, false}, {id, true});
    if (!ratios.empty()) return compare_paired(ratios, seed);
  }
  return std::nullopt;
}

}  // namespace

PairedVerdicts::PairedVerdicts(const Rounds& rounds, const std::vector<std::string>& case_ids, double precision,
                               std::uint64_t seed)
    : margins_{std::log1p(precision), std::log1p(precision)} {
  if (const auto copies = compare_copies(rounds, case_ids, seed)) {
    control_ = copies->ratio();
    margins_.claim = std::max({margins_.claim, -copies->log_ratio.low, copies->log_ratio.high});
  }
  for (const std::string& id : case_ids) {
    if (!rounds.log_seconds({id, false}).empty()) places_.emplace(id, places_.size());
  }
  pairs_.resize(places_.size() * places_.size());
  std::vector<std::pair<std::size_t, std::size_t>> compared;
  std::vector<double> p_values;
  for (const auto& [first, a] : places_) {
    for (const auto& [second, b] : places_) {
      if (b <= a) continue;
      const std::vector<double> ratios = rounds.log_ratios({first, false}, {second, false});
      if (ratios.empty()) continue;
      pair(a, b).comparison = compare_paired(ratios, seed);
      pair(b, a).comparison = reversed(*pair(a, b).comparison);
      compared.emplace_back(a, b);
      p_values.push_back(pair(a, b).comparison->p);
    }
  }
  const std::vector<double> adjusted = holm(p_values);
  for (std::size_t i = 0; i < compared.size(); ++i) {
    const auto [a, b] = compared[i];
    pair(a, b).adjusted_p = pair(b, a).adjusted_p = adjusted[i];
  }
}

std::optional<Interval> PairedVerdicts::ratio(const std::string& a, const std::string& b) const {
  const auto first = places_.find(a), second = places_.find(b);
  if (first == places_.end() || second == places_.end()) return std::nullopt;
  if (first == second) return Interval{1, 1, 1};
  const auto& comparison = pair(first->second, second->second).comparison;
  return comparison ? std::optional(comparison->ratio()) : std::nullopt;
}

Verdict PairedVerdicts::verdict(const std::string& a, const std::string& b) const {
  const auto first = places_.find(a), second = places_.find(b);
  if (first == places_.end() || second == places_.end()) return Verdict::not_comparable;
  if (first == second) return Verdict::same;
  const Pair& both = pair(first->second, second->second);
  return both.comparison ? bench::verdict(*both.comparison, both.adjusted_p, margins_) : Verdict::not_comparable;
}

double PairedVerdicts::margin() const {
  return std::expm1(margins_.claim);
}

double PairedVerdicts::precision() const {
  return std::expm1(margins_.equality);
}

}  // namespace ddlbench::bench
