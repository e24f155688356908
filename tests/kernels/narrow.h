#pragma once

#include "cases.h"

namespace ddlbench::test {

/// A case on operands rounded to 16 bits: as they are, and widened again. Integers stay what they are, and so do the
/// statistics and the optimizer's state, which are f32 in every precision.
struct NarrowCase {
  Run narrow, wide;
};
NarrowCase narrow_case(const OpCase& one, graph::DType dtype);

/// `tensor` in another floating-point type: rounded, or exactly.
HostTensor in_type(const HostTensor& tensor, graph::DType dtype);

/// Half the distance from 1 to the next number: the largest relative error of one rounding.
double unit_roundoff(graph::DType dtype);

}  // namespace ddlbench::test
