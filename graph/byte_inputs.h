#pragma once

#include "graph/graph.h"
#include "graph/normalisation.h"

namespace ddlbench::graph {

/// The model in_precision, with inputs of bytes in place of f32: INPUT.normalise, the first op, makes numbers of
/// `dtype` of them, and no cast follows.
Graph with_byte_inputs(const Graph& forward, const Normalisation& normalisation, DType dtype);

}  // namespace ddlbench::graph
