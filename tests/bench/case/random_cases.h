#pragma once

#include <cstdint>
#include <string>

namespace ddlbench::test {

/// What came of random models under every strategy.
struct RandomCases {
  int models = 0;
  int unproven = 0;      ///< models of which rounding alone may make as much as a fault
  int certified = 0;     ///< cases
  int unsupported = 0;   ///< cases
  std::string failures;  ///< a line each: seed, strategy and ranks, what went wrong; and the model
};

/// Trains the models of `random_layers` for the seeds `first` to `last` under every strategy on up to 12 ranks of the
/// reference device, and holds each against one rank: losses, first gradients, update, running statistics and the loss
/// in evaluation. What is not certified must be unsupported; anything thrown else is a failure. With RANDOM_SEED in the
/// environment that seed alone is run.
RandomCases run_random_cases(std::uint64_t first, std::uint64_t last);

}  // namespace ddlbench::test
