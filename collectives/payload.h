#pragma once

#include <cstdint>
#include <vector>

#include "collectives/steps.h"

namespace ddlbench::collectives {

/// The data of an all-reduce, a reduce-scatter or an all-gather, equal on all members: a whole tensor that consists of
/// one part per member, in the order of the members.
class Payload {
 public:
  /// Splits evenly: the part of member i is graph::part_of(count, members, i).
  Payload(int members, std::int64_t count);
  /// Splits as given: the part of member i has counts[i] elements.
  explicit Payload(std::vector<std::int64_t> counts);

  int members() const { return members_; }
  std::int64_t count() const { return count_; }  ///< elements of the whole tensor
  Range whole(Memory memory) const { return {memory, 0, count_}; }
  Range part(Memory memory, int member) const;
  std::int64_t largest_part() const;

  /// Whether the input and output of an all-reduce are the same memory.
  bool in_place = false;

 private:
  int members_;
  std::int64_t count_;
  std::vector<std::int64_t> counts_, offsets_;  ///< empty for an even split
};

}  // namespace ddlbench::collectives
