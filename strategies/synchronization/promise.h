#pragma once

#include "program/plan.h"
#include "strategies/passes/layout.h"
#include "strategies/spec.h"

namespace ddlbench::strategies {

/// Returns what training with the chain of `spec` promises. `layout` is that of every rank, and its tensors are those
/// of `model`.
program::Promise promise_of(const StrategySpec& spec, const graph::Graph& model, const FlatLayout& layout);

}  // namespace ddlbench::strategies
