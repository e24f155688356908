#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

#include "comm/staged/host_copy.h"

namespace ddlbench::comm {

class StagedOperation;

/// What the staged operations of one rank share, whichever their group. Used by the rank's thread alone.
class Stage {
 public:
  explicit Stage(HostCopy& copy) : copy_(copy) {}

  HostCopy& copy() { return copy_; }
  std::int64_t held_bytes() const { return held_bytes_; }

  void* allocate(std::size_t bytes);  ///< nullptr of none
  void release(void* memory, std::size_t bytes) noexcept;

  /// Reserves a place, so that add() does not allocate.
  void enroll();
  void withdraw() { --places_; }
  void add(StagedOperation& operation) { active_.push_back(&operation); }
  void remove(StagedOperation& operation);

  /// Takes every started operation as far as it goes without waiting. Throws what an operation of the host threw, from
  /// then on whenever it is called.
  void advance();
  /// Whether all started operations have begun on the host.
  bool all_begun() const;
  /// Notes what the host threw, and throws it on.
  [[noreturn]] void fail();
  void rethrow() const;  ///< if something failed

 private:
  HostCopy& copy_;
  std::vector<StagedOperation*> active_;  ///< in the order of their start()
  std::size_t places_ = 0;
  std::int64_t held_bytes_ = 0;
  std::exception_ptr failure_;
};

}  // namespace ddlbench::comm
