#pragma once

#include "program/plan.h"
#include "strategies/passes/layout.h"
#include "strategies/spec.h"

namespace ddlbench::strategies {

/// Returns what training with the chain of `spec` promises. `layout` is that of every rank, and its tensors are those
/// of `model`. `delays`: those of the weights in a pipeline without flush.
program::Promise promise_of(const StrategySpec& spec, const graph::Graph& model, const FlatLayout& layout,
                            std::map<std::string, std::int64_t> delays);

}  // namespace ddlbench::strategies
