#pragma once

#include "graph/graph.h"
#include "graph/normalisation.h"

namespace ddlbench::graph {

/// Returns the model of in_precision() with u8 inputs instead of f32 inputs. Its first op, INPUT.normalise, converts
/// the bytes to `dtype`, so no cast is needed. Throws ContractError unless `dtype` is a floating-point type.
Graph with_byte_inputs(const Graph& forward, const Normalisation& normalisation, DType dtype);

}  // namespace ddlbench::graph
