#include "platform/scratch_memory.h"

#include "platform/host_memory.h"

namespace ddlbench::platform {

void ScratchMemory::Release::operator()(void* memory) const {
  release_host(memory);
}

void* ScratchMemory::reserve(std::size_t bytes) {
  if (bytes > bytes_ || memory_ == nullptr) {
    memory_.reset();  // released first, so that both never exist at the same time
    bytes_ = 0;
    memory_.reset(allocate_host(bytes));
    bytes_ = bytes;
  }
  return memory_.get();
}

}  // namespace ddlbench::platform
