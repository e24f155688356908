#pragma once

#include "bench/case/certified_steps.h"
#include "bench/case/reference.h"
#include "bench/case/verify.h"
#include "program/update_rule.h"

namespace ddlbench::bench {

/// Returns the reference of a strategy whose promise has a rule: one rank trains as the rule says. In each step it
/// computes the gradient of each rank's samples in turn, from the same weights, makes the gradient of the update from
/// them, and updates. Programs of the strategy are not used, nor the passes that make them: what a codec does is
/// computed by the ops of the rule on the reference device. `microbatches` are those of the strategy: they determine
/// which samples a rank has. The noise is that of a second run, as in run_reference(), in which each rank keeps its
/// samples. Missing if it would need more memory than `memory` reports. Throws ContractError if the rule does not cover
/// every element of every gradient once.
Reference run_replay(const Setup& setup, const program::UpdateRule& rule, int microbatches, const CertifiedSteps& steps,
                     Heartbeat& heartbeat, const platform::MemoryProbe& memory = platform::probe_memory);

}  // namespace ddlbench::bench
