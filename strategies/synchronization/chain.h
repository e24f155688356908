#pragma once

#include <vector>

#include "program/cadence.h"
#include "strategies/spec.h"
#include "strategies/synchronization/bucket_stage.h"

namespace ddlbench::strategies {

/// What is done with the buckets in each kind of step: a body of the programs each.
struct Synchronization {
  program::Cadence cadence;
  std::vector<BucketChain> bodies;  ///< with equal states
};

Synchronization synchronization_of(const StrategySpec& spec);

/// Returns the codecs of the kinds of steps of a strategy with a codec: those of the warm-up, and then its own.
std::vector<graph::Codec> codecs_of_steps(const SyncSpec& sync);

/// Returns the distances of the ranks whose weights this rank averages with its own, in each step of a cycle of a
/// gossiping strategy.
std::vector<std::vector<int>> gossip_distances(const WeightsSpec& weights, int ranks);

}  // namespace ddlbench::strategies
