#pragma once

#include "kernels/kernel_table.h"

/// Naive loops that follow the definitions, sums in f64, one thread: the oracle of every other device.
namespace ddlbench::kernels::reference {

void add_conv2d(KernelTable& table);
void add_conv2d_backward_input(KernelTable& table);
void add_conv2d_backward_weight(KernelTable& table);
void add_linear(KernelTable& table);
void add_linear_backward_input(KernelTable& table);
void add_linear_backward_weight(KernelTable& table);
void add_max_pool2d(KernelTable& table);
void add_max_pool2d_backward(KernelTable& table);
void add_activation_backward(KernelTable& table);
void add_bias_activation(KernelTable& table);
void add_bias_backward(KernelTable& table);
void add_cross_entropy(KernelTable& table);
void add_cross_entropy_backward(KernelTable& table);
void add_add(KernelTable& table);
void add_gelu(KernelTable& table);
void add_gelu_backward(KernelTable& table);
void add_embedding(KernelTable& table);
void add_embedding_backward_weight(KernelTable& table);
void add_add_positions(KernelTable& table);
void add_add_positions_backward_weight(KernelTable& table);
void add_layer_norm(KernelTable& table);
void add_layer_norm_backward_input(KernelTable& table);
void add_layer_norm_backward_weight(KernelTable& table);
void add_attention(KernelTable& table);
void add_attention_backward(KernelTable& table);
void add_split_parts(KernelTable& table);
void add_join_parts(KernelTable& table);
void add_slice(KernelTable& table);
void add_sgd_update(KernelTable& table);
void add_adam_update(KernelTable& table);

/// All of the above.
KernelTable all_kernels();

}  // namespace ddlbench::kernels::reference
