#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ddlbench::bench {

/// Returns the order in which `count` items take their turns in a round: a random permutation that seed and round
/// determine, and then the same in reverse (A B C C B A). So a steady drift of the machine's speed affects all alike,
/// and nothing always runs first.
std::vector<std::size_t> round_order(std::size_t count, int round, std::uint64_t seed);

}  // namespace ddlbench::bench
