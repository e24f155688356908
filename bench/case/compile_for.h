#pragma once

#include <cstdint>
#include <string>

#include "bench/config/experiment.h"
#include "graph/graph.h"
#include "graph/ops/optimizer.h"
#include "program/cost_table.h"
#include "program/plan.h"

namespace ddlbench::bench {

/// Compiles a strategy's plan for a model that is already in `precision`, with the tensor layout that devices of kind
/// `device_kind` want. The plan is not yet completed. Throws Unsupported.
program::Plan compile_for(const std::string& device_kind, const std::string& precision, const graph::Graph& model,
                          std::int64_t global_batch, const graph::Optimizer& optimizer, const Choice& strategy,
                          int ranks, const program::CostTable& profile = {});

}  // namespace ddlbench::bench
