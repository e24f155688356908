#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "program/plan.h"

namespace ddlbench::program {

/// Bytes by operation: "all_reduce", "send", …
using SentBytes = std::map<std::string, std::int64_t>;

/// The cost of one rank's training step, computed from its program; the mean over a cycle of the cadence.
struct Account {
  std::map<Phase, double> flops;
  /// Bytes that this rank sends per step. Exact for the algorithm that each call names, even if its counts are uneven;
  /// rounded if steps of a cycle differ (sent_in_runs() is exact).
  SentBytes sent_bytes;
  /// The peak of each class taken separately: the largest sum of its live buffers in issue order.
  std::array<std::int64_t, memory_classes> peak_bytes_by_class{};
  /// The live bytes of each class at one instant in issue order, that at which their sum is largest.
  std::array<std::int64_t, memory_classes> bytes_by_class_at_peak{};
  std::array<std::int64_t, memory_classes> persistent_bytes_by_class{};  ///< of all versions
  std::int64_t arena_bytes = 0;  ///< the larger of the arenas for training and evaluation
  /// Bytes that the device allocates: all persistent buffers and the arena.
  std::int64_t peak_bytes = 0;

  double total_flops() const;
  std::int64_t total_sent_bytes() const;
};

/// Returns the account of `rank`. The plan must be complete (`complete`).
Account account(const Plan& plan, int rank);

/// Returns the bytes that `rank` sends in `runs[body]` runs of each body of its training program.
SentBytes sent_in_runs(const Plan& plan, int rank, const std::vector<std::int64_t>& runs);

/// Returns the bytes that member `index` of `members` sends in one call, summed over its steps
/// (program/collective_steps.h).
std::int64_t sent_bytes(const CollectiveCall& call, int members, int index);

}  // namespace ddlbench::program
