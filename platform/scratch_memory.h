#pragma once

#include <cstddef>
#include <memory>

namespace ddlbench::platform {

/// Host memory that grows on demand.
class ScratchMemory {
 public:
  /// Returns at least `bytes` of memory, aligned as by allocate_host() and zeroed when newly allocated. Invalidates
  /// memory returned before. Throws std::bad_alloc.
  void* reserve(std::size_t bytes);

 private:
  struct Release {
    void operator()(void* memory) const;
  };
  std::unique_ptr<void, Release> memory_;
  std::size_t bytes_ = 0;
};

}  // namespace ddlbench::platform
