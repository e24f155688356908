#pragma once

#include <string>
#include <vector>

#include "base/option.h"
#include "graph/ops/optimizer.h"

namespace ddlbench::graph {

/// An optimizer that a configuration can name. All have the option `learning_rate`, which `make` does not use: it is a
/// scalar of each step.
struct OptimizerKind {
  std::string name;
  std::string help;
  std::vector<Option> options;
  Optimizer (*make)(const OptionValues& options, const Guard& guard, const LossScaling& scaling);
  std::vector<OptionProblem> (*problems)(const OptionValues& options) = nullptr;
};

/// Returns all optimizers. Each is defined in a file of this folder.
const std::vector<OptimizerKind>& optimizer_kinds();

/// Makes the optimizer that `choice` describes. Throws InputError with the nearest name if there is no such kind.
Optimizer make_optimizer(const Choice& choice, const Guard& guard = {}, const LossScaling& scaling = {});

}  // namespace ddlbench::graph
