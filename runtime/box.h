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

/// Calls `visit(first element in the whole, first element in the dense box, elements)` for every stretch
/// of the box that is contiguous in the row-major whole, in the order of the box.
using Visit = std::function<void(std::int64_t whole, std::int64_t part, std::int64_t count)>;
void for_each_run(const graph::Shape& whole, const Box& box, const Visit& visit);
/// The same of `elements` of the box alone; `part` counts from the first of them.
void for_each_run(const graph::Shape& whole, const Box& box, graph::Extent elements, const Visit& visit);

/// Those `elements` of what is held, and where they lie.
program::HeldState piece(const program::HeldState& held, graph::Extent elements);

}  // namespace ddlbench::runtime
