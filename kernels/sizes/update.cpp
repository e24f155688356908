#include "kernels/sizes/update.h"

#include <algorithm>
#include <set>

namespace ddlbench::kernels {
namespace {

using graph::DType;
using graph::TensorType;

std::int64_t elements_of(const TensorType& type) {
  return graph::elements(type.shape);
}

/// Returns sizes of parameters, gradients and states. The outputs from `first_output` on are the new states.
UpdateSizes flat_sizes(const Binding& binding, int states, int first_output) {
  expect_no_accumulation(binding);
  const auto& op = attributes_of<graph::UpdateOp>(binding);
  const TensorType& w = binding.inputs[0];
  expect_float(binding, w.dtype, Storage::f32);
  expect_float(binding, binding.inputs[1].dtype, Storage::any_float);
  expect(binding, elements_of(binding.inputs[1]) == elements_of(w), shape_mismatch);
  for (int state = 0; state < states; ++state) {
    const auto input = static_cast<std::size_t>(2 + state), output = static_cast<std::size_t>(first_output + state);
    expect(binding, binding.inputs[input] == w && binding.outputs[output] == w,
           "a state does not match its parameters");
  }
  UpdateSizes z;
  z.size = elements_of(w);
  z.gradient = binding.inputs[1].dtype;
  z.guard = op.guard;
  z.tensors = op.site.tensors;
  return z;
}

/// Takes the segments from the op. `by_tensor` requires that every element belongs to a tensor that has a row of norms,
/// and that the elements of each tensor are one segment.
void take_segments(const Binding& binding, bool by_tensor, UpdateSizes& z) {
  const auto& site = attributes_of<graph::UpdateOp>(binding).site;
  std::int64_t covered = 0;
  std::set<int> seen;
  for (const graph::UpdateSegment& segment : site.segments) {
    expect(binding, segment.begin == covered && segment.end >= segment.begin, "its segments are not contiguous");
    covered = segment.end;
    if (segment.begin == segment.end) continue;
    if (by_tensor) {
      expect(binding, segment.tensor >= 0 && segment.tensor < site.tensors, "a segment's tensor has no row");
      expect(binding, seen.insert(segment.tensor).second, "a tensor is in two segments");
    }
    z.segments.push_back(segment);
  }
  const bool covers = covered == z.size || (site.segments.empty() && !by_tensor);
  expect(binding, covers, "its segments do not cover the elements");
  if (z.segments.empty() && z.size > 0) z.segments.push_back({0, z.size, 0, false});
}

/// Takes the indices of the norms' inputs. `next` is the first input after the states.
void take_norms(const Binding& binding, int next, bool norms, UpdateSizes& z) {
  const auto& op = attributes_of<graph::UpdateOp>(binding);
  if (norms) {
    z.norms = next++;
    const TensorType rows{{z.tensors, 2}, DType::f32};
    expect(binding, binding.inputs[static_cast<std::size_t>(z.norms)] == rows, shape_mismatch);
  }
  if (op.guard.any()) {
    z.squared_norm = next;
    const TensorType scalar{{1}, DType::f32};
    expect(binding, binding.inputs[static_cast<std::size_t>(z.squared_norm)] == scalar, shape_mismatch);
  }
}

}  // namespace

UpdateSizes sizes_of_update(const Binding& binding, int states, bool norms) {
  const auto& op = attributes_of<graph::UpdateOp>(binding);
  const bool works = op.site.working != DType::f32;
  const auto kept = static_cast<std::size_t>(states);
  expect_operands(binding, 2 + kept + (norms ? 1 : 0) + (op.guard.any() ? 1 : 0), 1 + kept + (works ? 1 : 0));
  UpdateSizes z = flat_sizes(binding, states, 1);
  expect(binding, binding.outputs[0] == binding.inputs[0], shape_mismatch);
  z.working = op.site.working;
  expect_float(binding, z.working, Storage::any_float);
  const TensorType working{binding.inputs[0].shape, z.working};
  expect(binding, !works || binding.outputs.back() == working, shape_mismatch);
  take_segments(binding, norms, z);
  take_norms(binding, 2 + states, norms, z);
  return z;
}

UpdateSizes sizes_of_measure(const Binding& binding, int states) {
  const auto& op = attributes_of<graph::UpdateOp>(binding);
  const auto kept = static_cast<std::size_t>(states);
  expect_operands(binding, 2 + kept + (op.guard.any() ? 1 : 0), 1 + kept);
  UpdateSizes z = flat_sizes(binding, states, 0);
  const TensorType rows{{z.tensors, 2}, DType::f32};
  expect(binding, binding.outputs.back() == rows, shape_mismatch);
  take_segments(binding, true, z);
  take_norms(binding, 2 + states, false, z);
  return z;
}

UpdateSizes sizes_of_squared_norm(const Binding& binding) {
  expect_operands(binding, 1, 1);
  expect_float(binding, binding.inputs[0].dtype, Storage::any_float);
  expect(binding, binding.outputs[0] == TensorType{{1}, DType::f32}, shape_mismatch);
  UpdateSizes z;
  z.size = elements_of(binding.inputs[0]);
  z.gradient = binding.inputs[0].dtype;
  z.tensors = 1;
  if (z.size > 0) z.segments.push_back({0, z.size, 0, false});
  return z;
}

std::vector<NormBlock> blocks_of(std::span<const graph::UpdateSegment> segments, std::int64_t length) {
  std::vector<NormBlock> blocks;
  for (const graph::UpdateSegment& segment : segments) {
    for (std::int64_t begin = segment.begin; begin < segment.end; begin += length)
      blocks.push_back({begin, std::min(begin + length, segment.end), segment.tensor, segment.exempt});
  }
  return blocks;
}

}  // namespace ddlbench::kernels
