#pragma once

#include <string>

#include "graph/graph.h"

namespace ddlbench::workloads {

/// Reorders the parameters of a forward graph: of those that follow one another in one block, "layer1.0" of
/// "layer1.0.bn1.weight", those that `last` names come after the others. All else keeps its order.
void move_behind_siblings(graph::Graph& graph, bool (*last)(const std::string& parameter));

}  // namespace ddlbench::workloads
