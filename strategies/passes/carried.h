#pragma once

#include <map>
#include <utility>
#include <vector>

#include "strategies/passes/lower.h"

namespace ddlbench::strategies {

/// A value of one micro-batch.
using InstanceKey = std::pair<ValueId, int>;

/// A value that a step without flush writes and a later one reads.
struct CarriedValue {
  int age_at_write = 0;  ///< of its batch
  int versions = 1;      ///< that exist at a time
};
struct Carried {
  std::map<InstanceKey, CarriedValue> values;  ///< that have memory of their own
  std::map<ValueId, ValueId> source_of;        ///< of values that lie in the memory of others

  /// Returns the value in whose memory `value` lies: itself, if it has memory of its own.
  ValueId root_of(ValueId value) const;
};

/// Notes where a step with batches of all ages writes and reads values, and finds those that are carried.
class CarriedProbe {
 public:
  void writes(ValueId value, int microbatch, int age);
  /// Notes a read of what the step has not written.
  void reads(ValueId value, int microbatch, int age);
  /// Notes that `value` lies in the memory of `source`.
  void aliases(ValueId value, ValueId source) { carried_.source_of[value] = source; }

  /// Returns the values that were read at a greater age than they were written at. Values that no op has written are
  /// inputs, which have age 0 and are copied before all else.
  Carried carried() &&;

 private:
  struct Use {
    ValueId value = graph::absent;
    int microbatch = 0;
    int age = 0;
    int position = 0;  ///< among all
  };
  std::vector<Use> writes_, reads_;
  Carried carried_;
};

}  // namespace ddlbench::strategies
