#include "kernels/cuda/memory.h"

#include <fmt/core.h>
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "kernels/cuda/check.h"
#include "kernels/cuda/current.h"

namespace ddlbench::kernels::cuda {
namespace {

std::string in_gib(std::size_t bytes) {
  const auto hundredths = static_cast<std::size_t>(static_cast<double>(bytes) / (1 << 30) * 100 + 0.5);
  const std::string fraction = std::to_string(hundredths % 100);
  return fmt::format("{}.{}{} GiB", hundredths / 100, fraction.size() < 2 ? "0" : "", fraction);
}

struct FreeMemory {
  std::size_t available = 0, total = 0;
};

/// Returns the memory of the current GPU.
FreeMemory free_memory() {
  FreeMemory memory;
  check(cudaMemGetInfo(&memory.available, &memory.total), "querying free memory");
  return memory;
}

/// Returns the bytes that all ranks of this process have allocated on a GPU.
std::atomic<std::size_t>& allocated_by_process(int ordinal) {
  static std::mutex mutex;
  static std::map<int, std::atomic<std::size_t>> bytes_by_gpu;
  const std::lock_guard lock(mutex);
  return bytes_by_gpu[ordinal];
}

}  // namespace

Memory::Memory(int ordinal) : ordinal_(ordinal) {
  make_current(ordinal);
  available_bytes_ = static_cast<std::int64_t>(free_memory().available + allocated_by_process(ordinal));
}

Memory::~Memory() {
  while (!blocks_.empty()) release(blocks_.begin()->first);
}

void* Memory::allocate(std::size_t bytes) {
  make_current(ordinal_);
  void* block = nullptr;
  const cudaError_t code = cudaMalloc(&block, std::max<std::size_t>(bytes, 1));
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    const FreeMemory memory = free_memory();
    throw OutOfMemory(fmt::format("GPU {} has {} of {} free, and {} were requested by a rank that holds {}", ordinal_,
                                  in_gib(memory.available), in_gib(memory.total), in_gib(bytes),
                                  in_gib(allocated_bytes_)));
  }
  check(code, "allocating device memory");
  blocks_.emplace(block, bytes);
  allocated_bytes_ += bytes;
  allocated_by_process(ordinal_) += bytes;
  return block;
}

void Memory::release(void* memory) noexcept {
  const auto found = blocks_.find(memory);
  if (found == blocks_.end()) return;
  allocated_bytes_ -= found->second;
  allocated_by_process(ordinal_) -= found->second;
  blocks_.erase(found);
  cudaSetDevice(ordinal_);
  cudaFree(memory);
}

void* allocate_pinned(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t code = cudaHostAlloc(&memory, std::max<std::size_t>(bytes, 1), cudaHostAllocPortable);
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw OutOfMemory("the host cannot pin " + in_gib(bytes) + " more memory");
  }
  check(code, "allocating pinned host memory");
  return memory;
}

void release_pinned(void* memory) noexcept {
  if (memory != nullptr) cudaFreeHost(memory);
}

}  // namespace ddlbench::kernels::cuda
