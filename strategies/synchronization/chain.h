#pragma once

#include "strategies/spec.h"
#include "strategies/synchronization/bucket_stage.h"

namespace ddlbench::strategies {

/// Returns the chain of stages of `spec`.
BucketChain chain_of(const StrategySpec& spec);

}  // namespace ddlbench::strategies
