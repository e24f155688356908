#pragma once

#include <cstdint>

namespace ddlbench::test {

/// Trains the models of `random_layers` for the seeds `first` to `last` under every strategy on up to 12 ranks of the
/// reference device, and compares each with one rank, or with a replay of its own rule: losses, first gradients,
/// update, running statistics and, of exact strategies, the evaluation loss. A case must be certified or unsupported;
/// any other exception is a failure. If RANDOM_SEED is set in the environment, only that seed runs.
void check_random_cases(std::uint64_t first, std::uint64_t last);

}  // namespace ddlbench::test
