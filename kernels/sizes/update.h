#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/ops/optimizer.h"
#include "kernels/binding.h"

/// Sizes and operands of the ops over flat views of parameters (graph/ops/optimizer.h), taken from the local types.
/// Each function refuses (InputError) what does not fit together.
namespace ddlbench::kernels {

struct UpdateSizes {
  std::int64_t size = 0;                      ///< elements
  graph::DType gradient = graph::DType::f32;  ///< f32, bf16 or f16
  graph::DType working = graph::DType::f32;   ///< f32: there is no such output
  graph::Guard guard;
  int norms = -1;         ///< which input; −1: none
  int squared_norm = -1;  ///< which input; −1: none
  int tensors = 0;        ///< rows of the norms
  /// Cover the elements in order, without empty ones; a single one where the op names none.
  std::vector<graph::UpdateSegment> segments;

  int working_output(int states) const { return working == graph::DType::f32 ? -1 : 1 + states; }
};

/// Of an update with so many states, and norms by tensor.
UpdateSizes sizes_of_update(const Binding& binding, int states, bool norms);
/// Of an op that makes norms by tensor: the states are outputs before them.
UpdateSizes sizes_of_measure(const Binding& binding, int states);
/// Of a squared norm: as of one tensor's.
UpdateSizes sizes_of_squared_norm(const Binding& binding);

/// A part of one tensor's elements, summed by itself.
struct NormBlock {
  std::int64_t begin = 0, end = 0;
  int tensor = 0;
  bool exempt = false;
};

/// Blocks of `length` elements, the last of a tensor shorter: sums of sums of blocks do not depend on who makes them.
std::vector<NormBlock> blocks_of(std::span<const graph::UpdateSegment> segments, std::int64_t length);

}  // namespace ddlbench::kernels
