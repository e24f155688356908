#pragma once

#include <string>
#include <vector>

#include "bench/config/experiment.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

/// A case and its prediction.
struct PredictedCase {
  Case which;
  std::string mesh;
  PredictionRecord prediction;
  std::int64_t batches = 0;  ///< in an epoch
  bool exact = true;         ///< whether the strategy promises exact training
};

/// Returns the cases of each contract, the shortest step first, and a sentence with the best case, its lead and the
/// runner-up. As in a run, cases that share cores or GPUs or are not exact come after the others and are not
/// recommended.
std::string format_predictions(const std::vector<PredictedCase>& cases);

/// Returns "003-ddp-r2: predicted (3 of 10), about 1:10 min left", and "" in the first ten seconds and after the last
/// case. `seconds`: since the first case began.
std::string format_prediction_progress(const std::string& case_id, std::size_t done, std::size_t all, double seconds);

}  // namespace ddlbench::bench
