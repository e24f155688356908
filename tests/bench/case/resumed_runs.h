#pragma once

#include <cstdint>
#include <string>

#include "small_case.h"

namespace ddlbench::test {

/// Trains a case without interruption, and then `cuts` times with one: at a random step a random rank throws, and the
/// training continues from the newest checkpoint in its folder. Returns what differs in records, final weights and
/// optimizer state, and where more steps were repeated than lie between two saves; empty if nothing does. The case must
/// train over threads. Sets `redone` to the largest number of repeated steps.
std::string difference_after_crashes(bench::SmallCase small, std::uint64_t seed, int cuts, std::int64_t& redone);

/// Does so with all strategies that run on `least` to `most` ranks, in turn in fp32, bf16 and fp16 with a loss scale
/// that changes.
std::string differences_after_crashes(int least, int most, std::uint64_t first_seed, int cuts, std::int64_t& redone);

}  // namespace ddlbench::test
