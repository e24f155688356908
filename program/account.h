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

/// Bytes that member `index` of `members` sends in one call: those of the steps (program/collective_steps.h).
std::int64_t sent_bytes(const CollectiveCall& call, int members, int index);

}  // namespace ddlbench::program
