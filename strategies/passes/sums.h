#pragma once

#include "graph/graph.h"

namespace ddlbench::strategies {

/// Whether a node adds up gradients of a parameter that several nodes use. Such a sum is made with its terms wherever
/// it can be: in one memory, each added to what is there.
inline bool sums_parameter_gradients(const graph::Node& node) {
  return node.phase == graph::Phase::backward_weight && node.op->kind() == "add";
}

}  // namespace ddlbench::strategies
