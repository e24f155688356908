#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <unordered_map>

namespace ddlbench::kernels::cuda {

/// A failed allocation. The message states what was requested and, for GPU memory that ddlbench allocates, what was
/// free.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(std::string what) : what_(std::move(what)) {}
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};

/// The GPU memory that one rank has allocated. The engine requests a few large blocks and divides them itself, so each
/// block is one cudaMalloc. There is no pool, whose size would differ from the bytes in use.
class Memory {
 public:
  explicit Memory(int ordinal);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Allocates uninitialised memory, aligned to 256 bytes; never null, and never managed memory. Throws OutOfMemory.
  void* allocate(std::size_t bytes);
  /// Waits for the GPU. Does nothing if `memory` is null.
  void release(void* memory) noexcept;

  std::size_t allocated_bytes() const { return allocated_bytes_; }
  /// Returns the bytes that were free at construction, plus those that ranks of this process had allocated then.
  std::int64_t available_bytes() const { return available_bytes_; }

 private:
  int ordinal_;
  std::int64_t available_bytes_ = 0;
  std::size_t allocated_bytes_ = 0;
  std::unordered_map<void*, std::size_t> blocks_;
};

/// Allocates pinned host memory, which every GPU of the process can copy from and to. Throws OutOfMemory.
void* allocate_pinned(std::size_t bytes);
void release_pinned(void* memory) noexcept;

}  // namespace ddlbench::kernels::cuda
