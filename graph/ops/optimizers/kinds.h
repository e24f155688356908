#pragma once

#include "graph/ops/optimizers/kind.h"

namespace ddlbench::graph {

OptimizerKind sgd_kind();
OptimizerKind adam_kind();
OptimizerKind adamw_kind();
OptimizerKind lars_kind();
OptimizerKind lamb_kind();

}  // namespace ddlbench::graph
