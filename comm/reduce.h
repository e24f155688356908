#pragma once

#include <cstdint>

#include "graph/dtype.h"
#include "graph/placement.h"

namespace ddlbench::comm {

/// Computes target[i] = first[i] ⊕ second[i]. The target may equal one of the operands, but must not overlap them
/// otherwise. 16-bit floats are added in f32 and rounded once; integers wrap. The maximum is NaN if either operand is.
void reduce(graph::DType dtype, graph::Reduction reduction, void* target, const void* first, const void* second,
            std::int64_t count);

}  // namespace ddlbench::comm
