#pragma once

#include <cstdint>
#include <memory>

#include "kernels/device.h"

/// Tensors whose channels lie in blocks (graph::TensorType), on devices that compute on the host.
namespace ddlbench::kernels {

/// x[n, channels, inner] from rows into blocks of channels or back: one of the two is 1, and both divide the channels.
struct ReblockSizes {
  std::int64_t n = 0, channels = 0, inner = 1;
  std::int64_t from = 1, to = 1;
  std::int64_t element_bytes = 4;
};

/// Of two types that differ in their channel block alone; refuses (InputError) others.
ReblockSizes sizes_of_reblock(const Binding& binding);

void reblock(int threads, const ReblockSizes& z, const void* from, void* to);

bool has_channel_blocks(const Binding& binding);
/// Whether some channels lie in blocks of fewer than all.
bool cuts_channels(const Binding& binding);
/// The same op on row-major operands.
Binding row_major(const Binding& binding);

/// A kernel of `blocked` by one of `row_major(blocked)`: operands in blocks are rewritten in the workspace before and
/// after. For ops that have no kernel of their own for blocks.
std::unique_ptr<Kernel> by_row_major(const Binding& blocked, std::unique_ptr<Kernel> kernel, int threads);

}  // namespace ddlbench::kernels
