#pragma once

#include <cstdint>

#include "kernels/binding.h"

/// Sizes of the ops that see their tensors as flat or around one dimension, taken from the local types.
/// Each function refuses (InputError) types that do not fit together, and storage that the device does not take.
namespace ddlbench::kernels {

/// Elements, where all operands are of one type: `inputs` of them in, one out.
std::int64_t size_of_elementwise(const Binding& binding, std::size_t inputs, Storage storage = Storage::f32);

/// A tensor seen around one dimension: [outer, size, inner].
struct AroundDimension {
  std::int64_t outer = 1, size = 0, inner = 1;
  std::int64_t elements() const { return outer * size * inner; }
};

/// Around the dimension of the bias.
AroundDimension sizes_of_bias_activation(const Binding& binding, Storage storage = Storage::f32);
AroundDimension sizes_of_bias_backward(const Binding& binding, Storage storage = Storage::f32);

/// Around the dimension that is parted.
struct PartsSizes {
  AroundDimension around;
  std::int64_t element_bytes = 0;
  int parts = 1;
  std::int64_t unit = 1;

  /// Where part `index` lies along the dimension.
  graph::Extent part(int index) const { return graph::part_of(around.size, parts, index, unit); }
};

PartsSizes sizes_of_split_parts(const Binding& binding);
PartsSizes sizes_of_join_parts(const Binding& binding);
PartsSizes sizes_of_slice(const Binding& binding);

/// Logits [n, classes], n being the labels.
struct ClassSizes {
  std::int64_t n = 0, classes = 0;
};

/// Of cross-entropy and the mean squared error.
ClassSizes sizes_of_cross_entropy(const Binding& binding, Storage storage = Storage::f32);
ClassSizes sizes_of_cross_entropy_backward(const Binding& binding, Storage storage = Storage::f32);

/// Of all four ops: x[n, hidden], the weight [vocabulary, hidden].
struct HeadSizes {
  std::int64_t n = 0, hidden = 0, vocabulary = 0;
};

HeadSizes sizes_of_head_loss(const Binding& binding, Storage storage = Storage::f32);

}  // namespace ddlbench::kernels
