#pragma once

#include "kernels/cuda/attention_backward.h"
#include "kernels/cuda/attention_forward.h"

/// Selects the tiles of a block: the largest that have room for the head and whose shared memory a block of the GPU may
/// use (cudaDeviceProp::sharedMemPerBlockOptin: 163 KiB on sm_80, 227 on sm_90 and sm_100, 99 on sm_86, sm_89 and
/// sm_120, 64 on sm_75). Smaller tiles read keys and values more often.
namespace ddlbench::kernels::cuda {

constexpr std::int64_t largest_head_size = 256;

enum class AttentionPass : std::uint8_t { forward, backward };

template <int tile, int depth>
struct AttentionShape {
  static constexpr int Tile = tile, Depth = depth;
  /// Returns the bytes of shared memory per block.
  static constexpr std::size_t bytes(AttentionPass pass) {
    return pass == AttentionPass::forward ? sizeof(AttentionForwardShared<tile, depth>)
                                          : sizeof(AttentionBackwardShared<tile, depth>);
  }
};

/// Calls body(AttentionShape) with the shapes that have room for the head, the largest first, until it returns true.
/// Returns whether it did.
bool any_shape(std::int64_t head_size, const auto& body) {
  if (head_size <= 64) return body(AttentionShape<64, 64>{}) || body(AttentionShape<32, 64>{});
  if (head_size <= 128) return body(AttentionShape<32, 128>{}) || body(AttentionShape<16, 128>{});
  return head_size <= largest_head_size && (body(AttentionShape<32, 256>{}) || body(AttentionShape<16, 256>{}));
}

/// Calls body(AttentionShape) with the tiles for a GPU whose blocks may use `shared_bytes`. Returns false, without a
/// call, if none fit.
bool with_shape(AttentionPass pass, std::int64_t head_size, std::size_t shared_bytes, const auto& body) {
  return any_shape(head_size, [&](auto shape) {
    if (shape.bytes(pass) > shared_bytes) return false;
    body(shape);
    return true;
  });
}

/// Returns the bytes of shared memory that the smallest tiles need; 0 if the head is too large for all tiles.
inline std::size_t least_shared_bytes(AttentionPass pass, std::int64_t head_size) {
  std::size_t least = 0;
  any_shape(head_size, [&](auto shape) {
    least = shape.bytes(pass);
    return false;
  });
  return least;
}

}  // namespace ddlbench::kernels::cuda
