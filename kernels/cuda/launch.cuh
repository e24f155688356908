#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "kernels/cuda/check.h"
#include "kernels/cuda/context.h"
#include "kernels/own/team.h"

/// The teams and the launcher for GPUs (kernels/own/team.h, kernels/own/bind.h).
namespace ddlbench::kernels::cuda {

constexpr unsigned all_lanes = 0xFFFFFFFFu;

/// Applies exchange(word) to every 32-bit word of the value.
template <class T, class Exchange>
__device__ T exchange_words(const T& value, Exchange exchange) {
  static_assert(sizeof(T) % sizeof(std::uint32_t) == 0);
  std::uint32_t words[sizeof(T) / sizeof(std::uint32_t)];
  memcpy(words, &value, sizeof(T));
  for (auto& word : words) word = exchange(word);
  T result;
  memcpy(&result, words, sizeof(T));
  return result;
}

/// Reduces in the order of kernels/own/team.h. Every lane gets the result of lane 0.
template <class T, class Combine>
__device__ T reduce_warp(T value, Combine combine) {
#pragma unroll
  for (int offset = warp_size / 2; offset > 0; offset /= 2) {
    value = combine(value, exchange_words(value, [offset](std::uint32_t word) {
                      return __shfl_down_sync(all_lanes, word, offset);
                    }));
  }
  return exchange_words(value, [](std::uint32_t word) { return __shfl_sync(all_lanes, word, 0); });
}

/// Registers of a thread, which sees no other thread's.
template <class T>
struct PerThread {
  T value;
  __device__ T& operator[](int) { return value; }
};

class WarpTeam {
 public:
  __device__ std::int64_t index() const { return std::int64_t{blockIdx.x} * warps_per_block + threadIdx.x / warp_size; }
  __device__ std::int64_t count() const { return std::int64_t{gridDim.x} * warps_per_block; }
  __device__ constexpr int threads() const { return warp_size; }

  template <class Body>
  __device__ void each(const Body& body) {
    body(static_cast<int>(threadIdx.x % warp_size));
    __syncwarp();
  }
  template <class Combine, class Value>
  __device__ auto reduce(Combine combine, const Value& value) {
    return reduce_warp(value(static_cast<int>(threadIdx.x % warp_size)), combine);
  }
  template <class T>
  __device__ PerThread<T> per_thread() {
    return {};
  }
};

class BlockTeam {
 public:
  __device__ std::int64_t index() const { return blockIdx.x; }
  __device__ std::int64_t count() const { return gridDim.x; }
  __device__ constexpr int threads() const { return block_threads; }

  template <class Body>
  __device__ void each(const Body& body) {
    body(static_cast<int>(threadIdx.x));
    __syncthreads();
  }
  template <class Combine, class Value>
  __device__ auto reduce(Combine combine, const Value& value) {
    using T = decltype(value(0));
    __shared__ T of_warps[warps_per_block];
    const T mine = reduce_warp(value(static_cast<int>(threadIdx.x)), combine);
    if (threadIdx.x % warp_size == 0) of_warps[threadIdx.x / warp_size] = mine;
    __syncthreads();
    T total = of_warps[0];
    for (int warp = 1; warp < warps_per_block; ++warp) total = combine(total, of_warps[warp]);
    __syncthreads();
    return total;
  }
  template <class Make>
  __device__ auto first(const Make& make) {
    using T = decltype(make());
    __shared__ alignas(T) unsigned char memory[sizeof(T)];
    auto* made = reinterpret_cast<T*>(memory);
    if (threadIdx.x == 0) *made = make();
    __syncthreads();
    return *made;
  }
  template <class T>
  __device__ PerThread<T> per_thread() {
    return {};
  }
  template <class T>
  __device__ T* scratch() {
    __shared__ T memory[block_threads];
    return memory;
  }
};

template <class Team, class Body>
__global__ void __launch_bounds__(block_threads) run(const Body body) {
  Team team;
  body(team);
}

class Launcher {
 public:
  explicit Launcher(const Context& context) : context_(&context) {}

  int multiprocessors() const { return context_->multiprocessors; }

  template <class Body>
  void items(const char* name, std::int64_t items, const Body& body) const {
    launch<BlockTeam>(name, geometry_of_items(items, multiprocessors()), body);
  }
  template <class Body>
  void blocks(const char* name, std::int64_t teams, const Body& body) const {
    launch<BlockTeam>(name, geometry_of_blocks(teams, multiprocessors()), body);
  }
  template <class Body>
  void warps(const char* name, std::int64_t teams, const Body& body) const {
    launch<WarpTeam>(name, geometry_of_warps(teams, multiprocessors()), body);
  }

 private:
  template <class Team, class Body>
  void launch(const char* name, const Geometry& geometry, const Body& body) const {
    if (geometry.blocks == 0) return;
    const dim3 blocks(static_cast<unsigned>(geometry.blocks)), threads(static_cast<unsigned>(geometry.threads));
    run<Team><<<blocks, threads, 0, context_->stream>>>(body);
    check_launch(name);
  }

  const Context* context_;
};

}  // namespace ddlbench::kernels::cuda
