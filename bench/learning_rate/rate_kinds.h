#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/option.h"

namespace ddlbench::bench {

/// A step of a training, after the warm-up.
struct RatePoint {
  double peak = 0;         ///< the learning rate, scaled with the batch
  double progress = 0;     ///< u: the share of the steps after the warm-up that is done, at most 1
  std::int64_t epoch = 0;  ///< the epoch of the step, counted from 0 at the start of the training
};

/// The training that a schedule is checked for.
struct RatedTraining {
  double learning_rate = 0;
  double peak = 0;  ///< the learning rate, scaled with the smallest batch
  std::int64_t epochs = 1;
};

/// A schedule of the learning rate that a configuration can name.
struct RateKind {
  std::string name;
  std::string help;
  std::vector<Option> options;
  double (*rate)(const OptionValues& options, const RatePoint& at);
  /// Returns the settings that are invalid for this training. Null: all are valid.
  std::vector<OptionProblem> (*problems)(const OptionValues& options, const RatedTraining& training) = nullptr;
  /// Returns the smallest valid number of steps after the warm-up. Null: any number is valid.
  std::int64_t (*min_steps)(const OptionValues& options) = nullptr;
};

const std::vector<RateKind>& rate_kinds();

/// Throws InputError that suggests the nearest name if there is no such kind.
const RateKind& find_rate_kind(const std::string& name);

}  // namespace ddlbench::bench
