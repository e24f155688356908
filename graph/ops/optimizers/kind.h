#pragma once

#include <string>
#include <vector>

#include "base/option.h"
#include "graph/ops/optimizer.h"

namespace ddlbench::graph {

/// An optimizer as a configuration names it. All have the option `learning_rate`, which is not the maker's: it is a
/// scalar of each step.
struct OptimizerKind {
  std::string name;
  std::string help;
  std::vector<Option> options;
  Optimizer (*make)(const OptionValues& options, const Guard& guard, const LossScaling& scaling);
  std::vector<OptionProblem> (*problems)(const OptionValues& options) = nullptr;
};

/// All optimizers, each defined in a file of this folder.
const std::vector<OptimizerKind>& optimizer_kinds();

/// Throws InputError for a kind that there is not, naming the nearest.
Optimizer make_optimizer(const Choice& choice, const Guard& guard = {}, const LossScaling& scaling = {});

}  // namespace ddlbench::graph
