#pragma once

#include "graph/graph.h"

namespace ddlbench::strategies {

/// Returns whether `node` adds up gradients of a parameter that several nodes use. Where possible such a sum needs no
/// op: its terms are accumulated in one memory.
inline bool sums_parameter_gradients(const graph::Node& node) {
  return node.phase == graph::Phase::backward_weight && node.op->kind() == "add";
}

}  // namespace ddlbench::strategies
