#pragma once

#include <cstdint>
#include <memory>

#include "kernels/device.h"

/// Tensors with channel blocks (graph::TensorType) on devices that compute on the host.
namespace ddlbench::kernels {

/// A tensor x[n, channels, inner] and its channel blocks before and after reordering: one of the two is 1 (row-major),
/// and both divide the channels.
struct ReorderSizes {
  std::int64_t n = 0, channels = 0, inner = 1;
  std::int64_t from = 1, to = 1;
  std::int64_t element_bytes = 4;
};

/// Returns the sizes for two types that differ only in their channel block. Rejects other types (InputError).
ReorderSizes sizes_of_reorder(const Binding& binding);

void reorder(int threads, const ReorderSizes& z, const void* from, void* to);

bool has_channel_blocks(const Binding& binding);
/// Returns whether any operand has channel blocks of fewer than all channels.
bool has_partial_channel_blocks(const Binding& binding);
/// Returns the same op with row-major operands.
Binding row_major(const Binding& binding);

/// Returns a kernel for `blocked` that uses a kernel for `row_major(blocked)`: it reorders operands with channel blocks
/// in the workspace, before and after the launch. For ops without a kernel for channel blocks.
std::unique_ptr<Kernel> by_row_major(const Binding& blocked, std::unique_ptr<Kernel> kernel, int threads);

}  // namespace ddlbench::kernels
