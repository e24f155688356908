#pragma once

#include <string>
#include <vector>

#include "bench/config/experiment.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

/// A case and what is predicted of it.
struct PredictedCase {
  Case which;
  std::string mesh;
  PredictionRecord prediction;
  std::int64_t batches = 0;  ///< of an epoch
  bool exact = true;         ///< its promise
};

/// The cases of each contract, the shortest step first, and a sentence with the best, by how much, and the
/// runner-up. As in a run, what shares cores is listed behind the others and not recommended, and neither is
/// what is not exact.
std::string format_predictions(const std::vector<PredictedCase>& cases);

}  // namespace ddlbench::bench
