#pragma once

#include <cstdint>
#include <string>

#include "comm/counters.h"

namespace ddlbench::comm {

/// What an operation runs: begun and advanced many times, without allocating.
class Task {
 public:
  virtual ~Task() = default;

  virtual void begin(std::uint64_t sequence) = 0;

  struct Advance {
    bool moved = false;     ///< something happened
    bool deferred = false;  ///< something could happen now that is larger than the limit
  };
  /// Goes as far as the peers allow. No piece of work is larger than `limit` bytes.
  virtual Advance advance(std::int64_t limit) = 0;
  virtual bool done() const = 0;

  virtual std::uint64_t sequence() const = 0;
  /// The member that it waits for now; −1 where it waits for none.
  virtual int waiting_for() const = 0;
  virtual Kind kind() const = 0;
  virtual const std::string& label() const = 0;
};

}  // namespace ddlbench::comm
