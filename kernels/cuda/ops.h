#pragma once

#include "kernels/cuda/context.h"
#include "kernels/kernel_table.h"

/// Convolutions and attention by cuDNN, matrix products by cuBLASLt, the rest by kernels of this room. `context`
/// outlives the table and its kernels.
///
/// A rank's share may have no elements, so every op binds to sizes of 0. A grid without blocks is an error of CUDA, and
/// the libraries know no such size: an empty output launches nothing, and an output that sums over nothing becomes 0,
/// or what the op adds to the sum (a bias); with `accumulate` it stays.
///
/// No kernel can throw, so a label or token that is none reads nothing outside of its tables: it makes what depends on
/// it NaN (a loss, a row of logits' gradients, a row of an embedding), and the run finds that its loss is not finite.
/// An embedding's gradient, which has no row for such a token, leaves it out.
namespace ddlbench::kernels::cuda {

void add_conv2d(KernelTable& table, const Context& context);
void add_conv2d_backward_input(KernelTable& table, const Context& context);
void add_conv2d_backward_weight(KernelTable& table, const Context& context);
void add_linear(KernelTable& table, const Context& context);
void add_linear_backward_input(KernelTable& table, const Context& context);
void add_linear_backward_weight(KernelTable& table, const Context& context);
void add_max_pool2d(KernelTable& table, const Context& context);
void add_max_pool2d_backward(KernelTable& table, const Context& context);
void add_activation_backward(KernelTable& table, const Context& context);
void add_bias_activation(KernelTable& table, const Context& context);
void add_bias_backward(KernelTable& table, const Context& context);
void add_cross_entropy(KernelTable& table, const Context& context);
void add_cross_entropy_backward(KernelTable& table, const Context& context);
void add_add(KernelTable& table, const Context& context);
void add_gelu(KernelTable& table, const Context& context);
void add_gelu_backward(KernelTable& table, const Context& context);
void add_embedding(KernelTable& table, const Context& context);
void add_embedding_backward_weight(KernelTable& table, const Context& context);
void add_add_positions(KernelTable& table, const Context& context);
void add_add_positions_backward_weight(KernelTable& table, const Context& context);
void add_layer_norm(KernelTable& table, const Context& context);
void add_layer_norm_backward_input(KernelTable& table, const Context& context);
void add_layer_norm_backward_weight(KernelTable& table, const Context& context);
void add_attention(KernelTable& table, const Context& context);
void add_attention_backward(KernelTable& table, const Context& context);
void add_split_parts(KernelTable& table, const Context& context);
void add_join_parts(KernelTable& table, const Context& context);
void add_slice(KernelTable& table, const Context& context);
void add_sgd_update(KernelTable& table, const Context& context);
void add_adam_update(KernelTable& table, const Context& context);

}  // namespace ddlbench::kernels::cuda
