#pragma once

#include "kernels/device.h"
#include "kernels/sizes/layers.h"

/// The three products of a linear layer that has few rows of activations and weights beyond a core's caches. All they
/// have to do is to read each weight, or to write each gradient, once: at the rate of memory, where the library, whose
/// tiles are for many rows, does not come near it. (VGG-16's first, 8 rows by 25088 × 4096, two threads of Zen 5 on
/// memory that a loop of sums reads in 9.4 ms: forward 11.3 ms, gradients of inputs 11.0, of weights 10.6; the library
/// 14.8, 12.8 and 16.7, medians of five turns.)
///
/// Sums are in f32, in an order that neither threads nor the other rows change.
namespace ddlbench::kernels::cpu {

bool has_few_rows(const LinearSizes& z);

/// Each is bound to operands of f32 or bf16, checked by sizes_of_…, and has results of their type.
std::unique_ptr<Kernel> few_rows_backward_input(int threads, const Binding& binding, const LinearSizes& z);
/// Results of bf16 may be f32, too.
std::unique_ptr<Kernel> few_rows_linear(int threads, const Binding& binding, const LinearSizes& z);
/// Without a bias. The same.
std::unique_ptr<Kernel> few_rows_backward_weight(int threads, const Binding& binding, const LinearSizes& z);

}  // namespace ddlbench::kernels::cpu
