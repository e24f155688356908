#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/page/run_results.h"

namespace ddlbench::bench {

/// Cases of a strategy, ranks and threads that differ in the seed alone, in the order of their rows: at least one, and
/// none of equal seeds.
using Replicates = std::vector<const CaseRow*>;

/// Returns all rows as replicates, in the order of the first row of each. They point into `results`.
std::vector<Replicates> replicates_of(const RunResults& results);

/// A number with its interval, if it has one.
struct ChartValue {
  double value = 0;
  std::optional<double> low, high;
};

/// How numbers of several seeds are estimated: by their logarithms if they are times or ratios.
enum class Scale { linear, logarithmic };

/// Returns the value itself if there is one, otherwise the estimate over the seeds and its interval
/// (bench/report/seed_estimate.h).
ChartValue over_seeds(const std::vector<ChartValue>& values, Scale scale);

/// Returns whether all replicates are ranked.
bool are_ranked(const RunResults& results, const Replicates& replicates);

/// Returns a case's id, strategy, ranks and threads, as describe_case does; with several seeds the strategy, ranks,
/// threads and the number of seeds: "ddp, 2×1, 3 seeds".
std::string describe_replicates(const Replicates& replicates);

}  // namespace ddlbench::bench
