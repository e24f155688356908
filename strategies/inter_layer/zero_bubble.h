#pragma once

#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {

/// Returns the order of the handcrafted schedules of Zero Bubble Pipeline Parallelism (Qi et al. 2024):
/// `first_forwards` forwards, then for each micro-batch the input half of its backward pass, the weight half of the
/// micro-batch `weight_lag` before it, and the next forward.
std::vector<Work> zero_bubble_order(int microbatches, int first_forwards, int weight_lag);

}  // namespace ddlbench::strategies
