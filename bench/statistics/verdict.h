#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bench/statistics/interval.h"

namespace ddlbench::bench {

/// What measurements show about a case compared with another.
enum class Verdict : std::uint8_t {
  faster,          ///< the whole interval of the ratio is beyond the margin of claims
  slower,          ///< the same in the other direction
  same,            ///< the whole interval is within the margin of equality
  ambiguous,       ///< neither: the measurement does not show which
  not_comparable,  ///< the two were not measured together
};
std::string_view name(Verdict verdict);

/// A comparison by the natural logarithm of a ratio of times: positive where the first case is faster.
struct TimeComparison {
  Interval log_ratio;
  double p = 1;  ///< probability of ratios at least this extreme if the true one were 1 (Student's t, two-sided)

  Interval ratio() const;  ///< of times: above 1 where the first case is faster
};

/// Compares by the log-ratios of at least one round in which both cases took turns. `seed` determines the resamples of
/// the interval.
TimeComparison compare_paired(const std::vector<double>& log_ratios, std::uint64_t seed);

/// Compares the first case's logarithms of times with the second's, at least one of each, which are from different
/// rounds (two_samples.h).
TimeComparison compare_unpaired(const std::vector<double>& first, const std::vector<double>& second,
                                std::uint64_t seed);

/// Returns p-values adjusted for their number (Holm 1979), in the same order: claims with an adjusted value of at most
/// 5 % contain a false one in at most 5 % of all tables.
std::vector<double> holm(const std::vector<double>& p_values);

/// The differences that matter, as logarithms of ratios, at least 0. Where noise alone makes a difference, less is
/// claimed, but no more is called equal.
struct LogMargins {
  double claim = 0;
  double equality = 0;
};

/// Returns the verdict, where `adjusted_p` is the comparison's p-value among those of its table.
Verdict verdict(const TimeComparison& comparison, double adjusted_p, const LogMargins& margins);

}  // namespace ddlbench::bench
