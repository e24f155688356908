#pragma once

#include <string>
#include <vector>

#include "base/option.h"
#include "graph/ops/loss_scale.h"

namespace ddlbench::graph {

/// A kind of loss scaling that a configuration can name.
struct LossScaleKind {
  std::string name;
  std::string help;
  std::vector<Option> options;
  LossScaling (*make)(const OptionValues& options);
};
const std::vector<LossScaleKind>& loss_scale_kinds();

/// Returns the loss scaling that `choice` describes. Throws InputError with the nearest name if there is no such kind.
LossScaling make_loss_scaling(const Choice& choice);

}  // namespace ddlbench::graph
