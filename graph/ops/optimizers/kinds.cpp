#include "graph/ops/optimizers/kinds.h"

#include "base/names.h"

namespace ddlbench::graph {

const std::vector<OptimizerKind>& optimizer_kinds() {
  static const std::vector<OptimizerKind> kinds{sgd_kind(), adam_kind(), adamw_kind(), lars_kind(), lamb_kind()};
  return kinds;
}

Optimizer make_optimizer(const Choice& choice, const Guard& guard, const LossScaling& scaling) {
  const OptimizerKind& kind = find_named(optimizer_kinds(), choice.kind, "optimizer");
  return kind.make(with_defaults(kind.options, choice.options), guard, scaling);
}

}  // namespace ddlbench::graph
