#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/records/record.h"

namespace ddlbench::bench {

/// The columns of a row that depend on the other rows. Empty for a row that is not ok, whose certificate
/// failed, or whose contract has no such one-rank row.
struct Comparison {
  std::string baseline_case_id;             ///< the fastest one-rank row of the same contract
  std::optional<double> speedup_ratio;      ///< baseline's step time / own
  std::optional<double> own_speedup_ratio;  ///< step time of the same strategy's fastest one-rank row / own
  std::optional<double>
      efficiency_ratio;  ///< speedup × baseline's threads / own threads, over all ranks; of GPUs their number
};

/// One for each record, in their order. A baseline is ok, not oversubscribed and its certificate did not fail.
std::vector<Comparison> compare(const std::vector<CaseRecord>& records);

}  // namespace ddlbench::bench
