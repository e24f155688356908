#pragma once

#include "cases.h"

namespace ddlbench::test {

/// A case on operands rounded to 16 bits: as they are, and widened again. Integers stay what they are, and so do the
/// statistics and the optimizer's state, which are f32 in every precision.
struct NarrowCase {
  Run narrow, wide;
};
NarrowCase narrow_case(const OpCase& one, graph::DType dtype);

/// op_cases(), and cases of ops that are told which 16-bit type to write: the gradients of a normalisation's
/// parameters, and parameters beside their f32 masters.
std::vector<OpCase> narrow_op_cases(graph::DType dtype);

/// CHECKs that the device computes of rounded operands what the reference computes of them in f32, rounded
/// `roundings` times: once where it is stored, and wherever a sum or a factor lies in 16 bits on the way.
void check_narrow(kernels::Device& device, const OpCase& one, graph::DType dtype, double roundings = 1);

/// Returns `tensor` in another floating-point type, rounded or exact.
HostTensor in_type(const HostTensor& tensor, graph::DType dtype);

/// Returns half the distance from 1 to the next number, the largest relative error of one rounding.
double unit_roundoff(graph::DType dtype);

}  // namespace ddlbench::test
