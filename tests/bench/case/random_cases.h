#pragma once

#include <cstdint>

namespace ddlbench::test {

/// Trains the models of `random_layers` for the seeds `first` to `last` under every strategy on up to 12 ranks of the
/// reference device, and holds each against one rank: losses, first gradients, update, running statistics and the loss
/// in evaluation. What is not certified must be unsupported; anything thrown else is a failure. With RANDOM_SEED in the
/// environment that seed alone is run.
void check_random_cases(std::uint64_t first, std::uint64_t last);

}  // namespace ddlbench::test
