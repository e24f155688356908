#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program/cost_table.h"
#include "strategies/passes/layout.h"

namespace ddlbench::strategies {

/// One cycle of Horovod's background thread: the ranks negotiate about the gradients that have become ready in it.
struct Cycle {
  std::size_t ops = 0;  ///< of the training step's layers, in order, that end before the cycle does
  graph::Extent ready;  ///< parameters of the layout, whose gradients are reduced after the negotiation
};

/// The cycles of the backward pass of the last micro-batch, in which gradients become ready.
struct Cycles {
  std::vector<Cycle> all;
  std::vector<int> of_gradient;  ///< by parameter of the layout: index in `all`
  std::int64_t left_out = 0;     ///< cycles during long ops beyond `most_idle`
  bool measured = false;         ///< the ops' times are measured, not assumed from FLOPs
};

/// Nothing becomes ready during an op. At most so many cycles of it remain, so that no op has thousands of
/// negotiations.
inline constexpr std::int64_t most_idle = 8;

/// Returns the cycles of `seconds` each, from the step's begin on, in which the gradients of `layout` become ready.
/// Times are those of op_times(training, costs). A gradient counts as ready only when those of later parameters are,
/// too, because a bucket is a range of consecutive gradients.
Cycles find_cycles(const program::Program& training, const FlatLayout& layout, const program::CostTable& costs,
                   double seconds);

/// Returns a text for readers of a plan.
std::string describe(const Cycles& cycles, double milliseconds, std::size_t buckets);

}  // namespace ddlbench::strategies
