#include "kernels/cuda/attention_kernels.h"

#include "kernels/cuda/check.h"
#include "kernels/own/launch_geometry.h"

namespace ddlbench::kernels::cuda {
namespace {

struct GpuBlock {
  template <class T>
  struct Each {
    T mine;
    __device__ T& operator[](int) { return mine; }
  };
  template <class Body>
  __device__ void run(const Body& body) {
    body(static_cast<int>(threadIdx.x));
    __syncthreads();
  }
};

extern __shared__ __align__(16) unsigned char shared_memory[];

/// The tile and the head of a block. Tiles with the most work come first; consecutive blocks have consecutive heads.
struct Place {
  __device__ Place(const AttentionSizes& z, int tile_size, bool last_first) {
    const std::int64_t heads = z.batch * z.heads, tiles = (z.positions + tile_size - 1) / tile_size;
    const std::int64_t head = blockIdx.x % heads, turn = blockIdx.x / heads;
    b = head / z.heads, h = head % z.heads;
    tile = last_first ? tiles - 1 - turn : turn;
  }
  std::int64_t b, h, tile;
};

template <int Tile, int Depth>
__global__ void __launch_bounds__(attention_threads)
    forward(const AttentionSizes z, const float scale, const float* qkv, float* y, float* logsumexp) {
  auto& shared = *reinterpret_cast<AttentionForwardShared<Tile, Depth>*>(shared_memory);
  const Place place(z, Tile, true);
  GpuBlock block;
  attention_forward(block, shared, z, scale, place.b, place.h, place.tile, qkv, y, logsumexp);
}

__global__ void means(const AttentionSizes z, const AttentionGradient a) {
  const std::int64_t index = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (index < z.batch * z.heads * z.positions) attention_mean(z, a, index);
}

template <int Tile, int Depth>
__global__ void __launch_bounds__(attention_threads)
    keys_and_values(const AttentionSizes z, const float scale, const AttentionGradient a) {
  auto& shared = *reinterpret_cast<AttentionBackwardShared<Tile, Depth>*>(shared_memory);
  const Place place(z, Tile, false);
  GpuBlock block;
  AttentionBackward<Tile, Depth>::keys_and_values(block, shared, z, scale, place.b, place.h, place.tile, a);
}

template <int Tile, int Depth>
__global__ void __launch_bounds__(attention_threads)
    queries(const AttentionSizes z, const float scale, const AttentionGradient a) {
  auto& shared = *reinterpret_cast<AttentionBackwardShared<Tile, Depth>*>(shared_memory);
  const Place place(z, Tile, true);
  GpuBlock block;
  AttentionBackward<Tile, Depth>::queries(block, shared, z, scale, place.b, place.h, place.tile, a);
}

float scale_of(const AttentionSizes& z) {
  return 1.0f / std::sqrt(static_cast<float>(z.head_size));
}

unsigned blocks_of(const AttentionSizes& z, int tile) {
  return static_cast<unsigned>(z.batch * z.heads * quotient_up(z.positions, tile));
}

template <class Kernel>
void allow(Kernel* kernel, std::size_t bytes) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "shared memory of attention");
}

}  // namespace

bool prepare_attention(AttentionPass pass, const AttentionSizes& sizes, std::size_t shared_bytes) {
  return with_shape(pass, sizes.head_size, shared_bytes, [pass](auto shape) {
    using S = decltype(shape);
    if (pass == AttentionPass::forward) return allow(forward<S::Tile, S::Depth>, S::bytes(pass));
    allow(keys_and_values<S::Tile, S::Depth>, S::bytes(pass));
    allow(queries<S::Tile, S::Depth>, S::bytes(pass));
  });
}

void launch_attention(cudaStream_t stream, const AttentionSizes& sizes, std::size_t shared_bytes, const float* qkv,
                      float* y, float* logsumexp) {
  constexpr auto pass = AttentionPass::forward;
  with_shape(pass, sizes.head_size, shared_bytes, [&](auto shape) {
    using S = decltype(shape);
    forward<S::Tile, S::Depth><<<blocks_of(sizes, S::Tile), attention_threads, S::bytes(pass), stream>>>(
        sizes, scale_of(sizes), qkv, y, logsumexp);
  });
  check_launch("attention");
}

void launch_attention_backward(cudaStream_t stream, const AttentionSizes& sizes, std::size_t shared_bytes,
                               const AttentionGradient& operands) {
  const auto rows = static_cast<unsigned>(quotient_up(sizes.batch * sizes.heads * sizes.positions, block_threads));
  means<<<rows, block_threads, 0, stream>>>(sizes, operands);
  check_launch("attention_backward: means");
  with_shape(AttentionPass::backward, sizes.head_size, shared_bytes, [&](auto shape) {
    using S = decltype(shape);
    constexpr std::size_t bytes = S::bytes(AttentionPass::backward);
    const unsigned blocks = blocks_of(sizes, S::Tile);
    const float scale = scale_of(sizes);
    keys_and_values<S::Tile, S::Depth><<<blocks, attention_threads, bytes, stream>>>(sizes, scale, operands);
    check_launch("attention_backward: keys and values");
    queries<S::Tile, S::Depth><<<blocks, attention_threads, bytes, stream>>>(sizes, scale, operands);
    check_launch("attention_backward: queries");
  });
}

}  // namespace ddlbench::kernels::cuda
