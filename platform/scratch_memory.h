#pragma once

#include <cstddef>
#include <memory>

namespace ddlbench::platform {

/// Host memory that grows with what is asked of it.
class ScratchMemory {
 public:
  /// So many bytes, aligned as allocate_host has them, all zero when they are new; what was given out before is void.
  /// Throws std::bad_alloc.
  void* reserve(std::size_t bytes);

 private:
  struct Release {
    void operator()(void* memory) const;
  };
  std::unique_ptr<void, Release> memory_;
  std::size_t bytes_ = 0;
};

}  // namespace ddlbench::platform
