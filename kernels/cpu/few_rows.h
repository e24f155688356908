#pragma once

#include "kernels/device.h"
#include "kernels/sizes/layers.h"

/// The three products of a linear layer with few rows of activations, and with weights that do not fit in a core's
/// caches. Such a product should take as long as reading each weight, or writing each gradient, once at the memory
/// bandwidth. oneDNN, whose tiles are made for many rows, is far from that. (The first linear layer of VGG-16, 8 rows
/// by 25088 × 4096, on two threads of Zen 5, with memory that a summing loop reads in 9.4 ms: forward 11.3 ms,
/// gradients of inputs 11.0 ms, of weights 10.6 ms; oneDNN 14.8, 12.8 and 16.7 ms; medians of five runs.)
///
/// Sums are in f32. Their order does not depend on the number of threads or on the other rows.
namespace ddlbench::kernels::cpu {

bool has_few_rows(const LinearSizes& z);

/// Each function makes a kernel for operands in f32 or bf16, which sizes_of_… has checked. Outputs have the type of the
/// operands.
std::unique_ptr<Kernel> few_rows_backward_input(int threads, const Binding& binding, const LinearSizes& z);
/// For operands in bf16, the output may also be f32.
std::unique_ptr<Kernel> few_rows_linear(int threads, const Binding& binding, const LinearSizes& z);
/// Computes no bias gradient. For operands in bf16, the output may also be f32.
std::unique_ptr<Kernel> few_rows_backward_weight(int threads, const Binding& binding, const LinearSizes& z);

}  // namespace ddlbench::kernels::cpu
