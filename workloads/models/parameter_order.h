#pragma once

#include <string>

#include "graph/graph.h"

namespace ddlbench::workloads {

/// Reorders the parameters of a forward graph: within each run of parameters of one block ("layer1.0" of
/// "layer1.0.bn1.weight"), moves those for which `last` is true after the others. Otherwise the order does not change.
void move_behind_siblings(graph::Graph& graph, bool (*last)(const std::string& parameter));

}  // namespace ddlbench::workloads
