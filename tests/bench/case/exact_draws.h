#pragma once

#include <string>

#include "exact_runs.h"

namespace ddlbench::test {

/// A training and a strategy for it, drawn from a seed: images through batch norm, residuals and dropout, or a text
/// through a transformer; any optimizer, clipping, recomputation; data, tensor and pipeline degrees, ZeRO.
struct RandomTraining {
  Training training;
  strategies::StrategySpec spec;
  double tolerance = 2e-4;  ///< of relative differences
  std::string words;        ///< a description
};
RandomTraining drawn(std::uint64_t seed);

/// Returns how the drawn training differs from the same on one rank; empty if it does not. Increments `ran` if the
/// strategy is supported.
std::string difference_from_one_rank(std::uint64_t seed, int& ran);

/// Does the same for a drawn training of a text with a fused linear cross-entropy, compared with one rank where the
/// linear layer and the loss are separate. Every third seed has a schedule with separate weight gradients.
std::string difference_of_fused_head(std::uint64_t seed, int& ran);

/// Does the same for a drawn training with updates in backward, one micro-batch and no pipeline, compared with updates
/// at the end: bitwise.
std::string difference_of_updates_in_backward(std::uint64_t seed, int& ran);

/// Does the same for a drawn training on images in f32 whose model normalises bytes, compared with the same strategy
/// and the model on normalised numbers: bitwise.
std::string difference_of_byte_inputs(std::uint64_t seed, int& ran);

}  // namespace ddlbench::test
