#pragma once

#include <string>
#include <vector>

#include "base/option.h"
#include "graph/ops/loss_scale.h"

namespace ddlbench::graph {

/// How a loss is scaled, as a configuration names it.
struct LossScaleKind {
  std::string name;
  std::string help;
  std::vector<Option> options;
  LossScaling (*make)(const OptionValues& options);
};
const std::vector<LossScaleKind>& loss_scale_kinds();

/// Throws InputError for a kind that there is not, naming the nearest.
LossScaling make_loss_scaling(const Choice& choice);

}  // namespace ddlbench::graph
