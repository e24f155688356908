#pragma once

#include <vector>

#include "graph/graph.h"
#include "graph/ops/low_rank.h"
#include "program/program.h"
#include "strategies/passes/layout.h"

namespace ddlbench::strategies {

/// Returns how PowerSGD approximates a bucket: as matrices those parameters, flattened behind their first dimension, of
/// which P and Q of this rank have fewer elements.
graph::LowRankLayout low_rank_layout(const FlatLayout& layout, std::size_t bucket, int rank);

/// Returns the state of Q of each of these matrices, without a view: "conv1.weight.power_sgd_q@all" has the shape of
/// the weight, with the columns of Q instead of its first dimension, and begins with standard normal numbers. `model`
/// has the tensors of the layout.
std::vector<program::StateShard> factors_of(const FlatLayout& layout, const graph::Graph& model, std::size_t bucket,
                                            int rank);

}  // namespace ddlbench::strategies
