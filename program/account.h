#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "program/plan.h"

namespace ddlbench::program {

/// What one rank's step costs, read from its program.
struct Account {
  std::map<Phase, double> flops;
  /// Bytes this rank sends per step: "all_reduce", "send", … Exact for the algorithm named in the call,
  /// where counts do not divide by the ranks, too.
  std::map<std::string, std::int64_t> sent_bytes;
  /// Peak of each class over the step, and of the sum (persistent buffers + arena).
  std::array<std::int64_t, memory_classes> peak_bytes_by_class{};
  std::int64_t peak_bytes = 0;

  double total_flops() const;
  std::int64_t total_sent_bytes() const;
};

/// Of rank `rank` in a completed plan.
Account account(const Plan& plan, int rank);

/// Bytes that member `index` of `members` sends in one call over `count` elements in all. Ring:
/// reduce-scatter and all-gather each send every chunk but one, chunks being part_of(count, members, i)
/// or the call's counts (nccl-tests' 2(n−1)/n·S summed over both); recursive doubling: log2 n whole
/// buffers, for n not a power of two as comm/algorithms describes.
std::int64_t sent_bytes(const CollectiveCall& call, int members, int index);

}  // namespace ddlbench::program
