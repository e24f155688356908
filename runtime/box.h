#pragma once

#include <functional>
#include <vector>

#include "graph/tensor.h"
#include "program/plan.h"

namespace ddlbench::runtime {

using Box = std::vector<graph::Extent>;

std::int64_t elements(const Box& box);
bool overlap(const Box& a, const Box& b);
/// Returns true if the box has as many dimensions as `whole` and lies within it.
bool inside(const Box& box, const graph::Shape& whole);

/// Consecutive elements of a dense box in the layout of its type. In the row-major whole they are `step` elements
/// apart.
struct BoxRun {
  std::int64_t whole = 0, step = 1;  ///< of the first element, counted in elements of the whole
  std::int64_t part = 0;             ///< of the first element, counted in elements of the box
  std::int64_t count = 0;
};

/// A callback for the runs of a box. for_each_run() calls it in the order of the box, and is the only function that
/// handles channel blocks: all tensor values on the host are row-major.
using Visit = std::function<void(const BoxRun& run)>;
void for_each_run(const graph::TensorType& whole, const Box& box, const Visit& visit);
/// Visits only `elements` of the box; `part` counts from the first of them.
void for_each_run(const graph::TensorType& whole, const Box& box, graph::Extent elements, const Visit& visit);

/// Returns `elements` of `held`, and where they lie.
program::HeldState piece(const program::HeldState& held, graph::Extent elements);

}  // namespace ddlbench::runtime
