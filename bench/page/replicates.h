#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/page/run_results.h"

namespace ddlbench::bench {

/// Cases that differ in the seed alone (bench/report/replicate_key.h), in the order of their rows: at least one, and
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

/// Returns the value itself if there is only one, otherwise the estimate over the seeds and its interval
/// (bench/report/seed_estimate.h). There must be a value; for the logarithmic scale all must be positive.
ChartValue over_seeds(const std::vector<ChartValue>& values, Scale scale);

/// Returns whether one of the replicates is ranked.
bool any_ranked(const RunResults& results, const Replicates& replicates);

/// Returns the replicates of `all` for which `counts` holds; all, if it holds for none.
Replicates preferred(const Replicates& all, const std::function<bool(const CaseRow&)>& counts);

/// Returns a case's id, strategy, ranks and threads, as describe_case does; with several seeds the strategy, ranks,
/// threads and the number of seeds: "ddp, 2×1, 3 seeds".
std::string describe_replicates(const Replicates& replicates);

}  // namespace ddlbench::bench
