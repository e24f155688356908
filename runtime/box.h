#pragma once

#include <functional>
#include <vector>

#include "graph/tensor.h"
#include "program/plan.h"

namespace ddlbench::runtime {

using Box = std::vector<graph::Extent>;

std::int64_t elements(const Box& box);
bool overlap(const Box& a, const Box& b);
bool inside(const Box& box, const graph::Shape& whole);  ///< of its rank, and within its dimensions

/// Elements that follow each other in a dense box as its type lays it out: in the row-major whole they are `step`
/// apart.
struct BoxRun {
  std::int64_t whole = 0, step = 1;  ///< of the first, counted in elements of the whole
  std::int64_t part = 0;             ///< of the first, counted in elements of the box
  std::int64_t count = 0;
};

/// Calls `visit` for the runs of the box, in their order in the box. This is what knows of channel blocks: all values
/// that the host has of a tensor are row-major.
using Visit = std::function<void(const BoxRun& run)>;
void for_each_run(const graph::TensorType& whole, const Box& box, const Visit& visit);
/// The same of `elements` of the box alone; `part` counts from the first of them.
void for_each_run(const graph::TensorType& whole, const Box& box, graph::Extent elements, const Visit& visit);

/// Those `elements` of what is held, and where they lie.
program::HeldState piece(const program::HeldState& held, graph::Extent elements);

}  // namespace ddlbench::runtime
