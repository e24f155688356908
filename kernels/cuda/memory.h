#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <unordered_map>

namespace ddlbench::kernels::cuda {

/// Memory ran out; the message names what was asked for and what there was.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(std::string what) : what_(std::move(what)) {}
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};

/// What one rank holds of a GPU's memory. The engine asks for a few large blocks and cuts them itself, so each block
/// is one cudaMalloc: no pool of its own, whose size would be told apart from what was handed out.
class Memory {
 public:
  explicit Memory(int ordinal);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// 256-byte aligned, never nullptr, of unknown content, and never managed memory. Throws OutOfMemory.
  void* allocate(std::size_t bytes);
  /// Waits for the GPU. Nothing where `memory` is nullptr.
  void release(void* memory) noexcept;

  std::size_t bytes_handed_out() const { return handed_out_; }
  /// What was free when this was made, and what ranks of this process held then.
  std::int64_t available_bytes() const { return available_bytes_; }

 private:
  int ordinal_;
  std::int64_t available_bytes_ = 0;
  std::size_t handed_out_ = 0;
  std::unordered_map<void*, std::size_t> blocks_;
};

/// Host memory that every GPU of the process can copy from and to. Throws OutOfMemory.
void* allocate_pinned(std::size_t bytes);
void release_pinned(void* memory) noexcept;

}  // namespace ddlbench::kernels::cuda
