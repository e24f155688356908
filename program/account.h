#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "program/plan.h"

namespace ddlbench::program {

/// What one rank's training step costs, read from its program.
struct Account {
  std::map<Phase, double> flops;
  /// Bytes this rank sends per step: "all_reduce", "send", … Exact for the algorithm named in the call,
  /// where counts do not divide by the ranks, too.
  std::map<std::string, std::int64_t> sent_bytes;
  /// Peak of each class by itself, in issue order: the sum of its buffers in use.
  std::array<std::int64_t, memory_classes> peak_bytes_by_class{};
  std::array<std::int64_t, memory_classes> persistent_bytes_by_class{};  ///< all versions
  std::int64_t arena_bytes = 0;                                          ///< the larger of training's and evaluation's
  /// What a device hands out: persistent buffers and the arena.
  std::int64_t peak_bytes = 0;

  double total_flops() const;
  std::int64_t total_sent_bytes() const;
};

/// Of rank `rank` in a completed plan.
Account account(const Plan& plan, int rank);

/// Bytes that member `index` of `members` sends in one call over `count` elements in all. Ring:
/// reduce-scatter and all-gather each send every chunk but one, chunks being part_of(count, members, i)
/// or the call's counts (nccl-tests' 2(n−1)/n·S summed over both); recursive doubling: log2 n whole
/// buffers, and for n = 2^k + e one more among the first 2e members, which pair up. Broadcast: a binomial
/// tree from member 0. All-to-all: all parts but the own, `counts` being those that this member sends.
std::int64_t sent_bytes(const CollectiveCall& call, int members, int index);

}  // namespace ddlbench::program
