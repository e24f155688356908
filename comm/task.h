#pragma once

#include <cstdint>
#include <string>

#include "comm/counters.h"

namespace ddlbench::comm {

/// The work of an operation. It can be started and advanced many times without allocating.
class Task {
 public:
  virtual ~Task() = default;

  virtual void begin(std::uint64_t sequence) = 0;

  struct Advance {
    bool moved = false;     ///< something changed
    bool deferred = false;  ///< work larger than the limit could be done now
  };
  /// Advances as far as the peers allow. Does no piece of work larger than `limit` bytes.
  virtual Advance advance(std::int64_t limit) = 0;
  virtual bool done() const = 0;

  virtual std::uint64_t sequence() const = 0;
  /// Returns the member that the task waits for now, or −1 if there is none.
  virtual int waiting_for() const = 0;
  virtual Kind kind() const = 0;
  virtual const std::string& label() const = 0;
};

}  // namespace ddlbench::comm
