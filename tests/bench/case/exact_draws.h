#pragma once

#include <string>

#include "exact_runs.h"

namespace ddlbench::test {

/// One training and a way to run it, drawn from a seed: images through batch norm, residuals and dropout, or a text
/// through a transformer; every optimizer, clipping, recomputation; data, tensor and pipeline degrees, ZeRO.
struct Drawn {
  Training training;
  strategies::StrategySpec spec;
  double tolerance = 2e-4;  ///< of relative differences
  std::string words;        ///< for a person
};
Drawn drawn(std::uint64_t seed);

/// What differs between the drawn way and one rank, or nothing. `ran` counts what its spec supports.
std::string difference_from_one_rank(std::uint64_t seed, int& ran);

/// The same of a drawn training of a text with its head fused with its loss, against one rank with both apart.
std::string difference_of_fused_head(std::uint64_t seed, int& ran);

/// The same of a drawn training whose updates come in backward, one micro-batch and no stages, against the same at the
/// end: to the last bit.
std::string difference_of_updates_in_backward(std::uint64_t seed, int& ran);

/// The same of a drawn training of images in f32 whose model normalises bytes, against the same way with the model as
/// it was on normalised numbers: to the last bit.
std::string difference_of_byte_inputs(std::uint64_t seed, int& ran);

}  // namespace ddlbench::test
