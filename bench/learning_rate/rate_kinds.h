#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/option.h"

namespace ddlbench::bench {

/// A step of a training, behind its warm-up.
struct RatePoint {
  double peak = 0;         ///< the learning rate, scaled with the batch
  double progress = 0;     ///< u: the share of what the warm-up leaves that is done, at most 1
  std::int64_t epoch = 0;  ///< that it lies in, from 0 at the training's beginning
};

/// How the learning rate changes, as a configuration names it.
struct RateKind {
  std::string name;
  std::string help;
  std::vector<Option> options;
  double (*rate)(const OptionValues& options, const RatePoint& at);
  /// What makes no sense in a training of so many epochs at this learning rate.
  std::vector<OptionProblem> (*problems)(const OptionValues& options, double learning_rate,
                                         std::int64_t epochs) = nullptr;
  /// Fewer steps behind the warm-up make no sense. Null: any number does.
  std::int64_t (*least_steps)(const OptionValues& options) = nullptr;
};

const std::vector<RateKind>& rate_kinds();

/// Throws InputError for a kind that there is not, naming the nearest.
const RateKind& find_rate_kind(const std::string& name);

/// "1 epoch", "2 epochs".
std::string epochs_text(std::int64_t count);

}  // namespace ddlbench::bench
