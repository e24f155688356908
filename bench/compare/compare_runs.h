#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/compare/compared_cases.h"
#include "bench/compare/run_noise.h"
#include "bench/page/run_results.h"

namespace ddlbench::bench {

/// Two runs side by side. The cases refer to the rows of the runs, which must live as long.
struct RunComparison {
  std::vector<ComparedCase> cases;
  std::vector<std::pair<std::string, RunNoise>> noise;  ///< by contract, of those with cases in rounds
};

/// Compares two runs whose cases did not take turns. `margin` is the smallest difference of interest, as a ratio
/// less 1.
///
/// A case with at least two complete rounds in both runs is compared by the mean logarithms of its rounds, as two
/// samples. The rounds of a run know nothing of what differs between the runs, so a claim has to exceed margins_of()
/// the contract's noise. A case without such rounds has the quotient of both step times, and is never more than
/// `ambiguous`: steps of one process know nothing of what differs between processes.
RunComparison compare_runs(const RunResults& old_run, const RunResults& new_run, double margin);

}  // namespace ddlbench::bench
