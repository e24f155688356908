#pragma once

#include <cstdint>
#include <vector>

#include "collectives/steps.h"

namespace ddlbench::collectives {

/// What an all-reduce, a reduce-scatter or an all-gather moves, the same on all of its members: a whole, in one part
/// for each member, in their order.
class Payload {
 public:
  /// Member i's part is graph::part_of(count, members, i).
  Payload(int members, std::int64_t count);
  /// Member i's part has counts[i] elements.
  explicit Payload(std::vector<std::int64_t> counts);

  int members() const { return members_; }
  std::int64_t count() const { return count_; }  ///< elements of the whole
  Range whole(Memory memory) const { return {memory, 0, count_}; }
  Range part(Memory memory, int member) const;
  std::int64_t largest_part() const;

  /// Of an all-reduce: its input and output are the same memory.
  bool in_place = false;

 private:
  int members_;
  std::int64_t count_;
  std::vector<std::int64_t> counts_, offsets_;  ///< empty: even parts
};

}  // namespace ddlbench::collectives
