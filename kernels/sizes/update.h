#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/ops/optimizer.h"
#include "kernels/binding.h"

/// Sizes and operands of the ops over flat views of parameters (graph/ops/optimizer.h), taken from the types on this
/// rank. Each function throws InputError if they are inconsistent.
namespace ddlbench::kernels {

struct UpdateSizes {
  std::int64_t size = 0;                      ///< number of elements
  graph::DType gradient = graph::DType::f32;  ///< f32, bf16 or f16
  graph::DType working = graph::DType::f32;   ///< if f32, there is no such output
  graph::Guard guard;
  int norms = -1;         ///< index of the input; −1: none
  int squared_norm = -1;  ///< index of the input; −1: none
  int tensors = 0;        ///< number of rows of the norms
  /// Non-empty segments that cover the elements in order; a single one if the op has none.
  std::vector<graph::UpdateSegment> segments;

  int working_output(int states) const { return working == graph::DType::f32 ? -1 : 1 + states; }
};

/// Returns the sizes of an update with this number of states, and with or without norms by tensor.
UpdateSizes sizes_of_update(const Binding& binding, int states, bool norms);
/// Returns the sizes of an op that computes norms by tensor; the states are outputs before the norms.
UpdateSizes sizes_of_measure(const Binding& binding, int states);
/// Returns the sizes of a squared norm, as of a single tensor.
UpdateSizes sizes_of_squared_norm(const Binding& binding);

/// A block of elements of one tensor that are summed separately.
struct NormBlock {
  std::int64_t begin = 0, end = 0;
  int tensor = 0;
  bool exempt = false;
};

/// Splits segments into blocks of `length` elements; the last block of each may be shorter. The total of the blocks'
/// sums does not depend on which threads compute them.
std::vector<NormBlock> blocks_of(std::span<const graph::UpdateSegment> segments, std::int64_t length);

}  // namespace ddlbench::kernels
