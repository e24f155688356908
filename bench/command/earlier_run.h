#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/config/experiment.h"

namespace ddlbench::bench {

struct EarlierRun {
  std::string folder;
  double seconds = 0;  ///< that the cases took there, from the start of each case's process to its end
};

/// Returns the latest run in `results`, of those that ddlbench named after the experiment, in which all `cases` ended
/// ok on this machine with the same settings of the measurement. Nothing for a run of certificates alone. Folders that
/// cannot be read are passed over.
std::optional<EarlierRun> find_earlier_run(const Experiment& experiment, const std::vector<Case>& cases,
                                           const std::string& results);

}  // namespace ddlbench::bench
