#include "comm/staged/staging_context.h"

#include <algorithm>

#include "comm/staged/staged_operation.h"

namespace ddlbench::comm {

void* StagingContext::allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* memory = copy_.allocate_host(bytes);
  held_bytes_ += static_cast<std::int64_t>(bytes);
  return memory;
}

void StagingContext::release(void* memory, std::size_t bytes) noexcept {
  if (!memory) return;
  copy_.release_host(memory);
  held_bytes_ -= static_cast<std::int64_t>(bytes);
}

void StagingContext::reserve_slot() {
  active_.reserve(places_ + 1);
  ++places_;
}

void StagingContext::remove(StagedOperation& operation) {
  active_.erase(std::remove(active_.begin(), active_.end(), &operation), active_.end());
}

void StagingContext::advance() {
  rethrow();
  bool may_begin = true;
  try {
    for (StagedOperation* operation : active_) may_begin &= operation->advance(may_begin);
  } catch (...) {
    fail();
  }
  active_.erase(std::remove_if(active_.begin(), active_.end(), [](const StagedOperation* one) { return one->done(); }),
                active_.end());
}

bool StagingContext::all_begun() const {
  return std::all_of(active_.begin(), active_.end(), [](const StagedOperation* one) { return one->begun(); });
}

void StagingContext::fail() {
  if (!failure_) failure_ = std::current_exception();
  throw;
}

void StagingContext::rethrow() const {
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace ddlbench::comm
