#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

#include "comm/staged/host_copy.h"

namespace ddlbench::comm {

class StagedOperation;

/// What the staged operations of one rank share, in all groups. Used by the rank's thread only.
class StagingContext {
 public:
  explicit StagingContext(HostCopy& copy) : copy_(copy) {}

  HostCopy& copy() { return copy_; }
  std::int64_t held_bytes() const { return held_bytes_; }

  void* allocate(std::size_t bytes);  ///< nullptr for 0 bytes
  void release(void* memory, std::size_t bytes) noexcept;

  /// Reserves a slot, so that add() does not allocate.
  void reserve_slot();
  void release_slot() { --places_; }
  void add(StagedOperation& operation) { active_.push_back(&operation); }
  void remove(StagedOperation& operation);

  /// Advances every started operation as far as possible without blocking. Throws the exception of a host operation,
  /// and throws it again at every later call.
  void advance();
  /// Returns whether all started operations have begun on the host.
  bool all_begun() const;
  /// Records the exception of a host operation and rethrows it.
  [[noreturn]] void fail();
  void rethrow() const;  ///< throws the recorded exception if there is one

 private:
  HostCopy& copy_;
  std::vector<StagedOperation*> active_;  ///< in the order of start()
  std::size_t places_ = 0;
  std::int64_t held_bytes_ = 0;
  std::exception_ptr failure_;
};

}  // namespace ddlbench::comm
