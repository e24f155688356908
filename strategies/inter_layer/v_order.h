#pragma once

#include <vector>

#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {

/// How much later, from one rank to the next, the same work on a micro-batch begins, in units of a forward, an input
/// half or a weight half of a chunk. "There" is from the first rank to the last one, on chunk 0 in a forward pass and
/// on chunk 1 in a backward pass; "back" is the other way.
struct VPace {
  int forward_there = 1;
  int forward_back = 1;
  int backward_there = 1;
  int backward_back = 1;
};

/// Returns the orders of all ranks of a V-shaped pipeline: rank i has the stages i and 2p − 1 − i. A micro-batch enters
/// every six units, which is a rank's work on one, and passes at `pace` (Qi et al. 2024, arXiv 2405.15362). The longer
/// that takes, the more activations are held. fill_weights() puts weight halves where a rank would otherwise wait.
std::vector<std::vector<Work>> v_orders(const Pipeline& pipeline, const VPace& pace);

}  // namespace ddlbench::strategies
