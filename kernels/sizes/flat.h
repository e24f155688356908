#pragma once

#include <cstdint>

#include "kernels/binding.h"

/// Sizes of the ops that treat their tensors as flat or around one dimension, taken from the types on this rank. Each
/// function throws InputError if the types are inconsistent or the device does not support their `storage`.
namespace ddlbench::kernels {

/// Returns the number of elements of an op with `inputs` inputs and one output, all of one type.
std::int64_t size_of_elementwise(const Binding& binding, std::size_t inputs, Storage storage = Storage::f32);

/// A tensor viewed around one dimension: [outer, size, inner].
struct AroundDimension {
  std::int64_t outer = 1, size = 0, inner = 1;
  std::int64_t elements() const { return outer * size * inner; }
};

/// These two return the view around the dimension of the bias.
AroundDimension sizes_of_bias_activation(const Binding& binding, Storage storage = Storage::f32);
AroundDimension sizes_of_bias_backward(const Binding& binding, Storage storage = Storage::f32);

/// A view around the dimension that is split into parts.
struct PartsSizes {
  AroundDimension around;
  std::int64_t element_bytes = 0;
  int parts = 1;
  std::int64_t unit = 1;

  /// Returns the extent of part `index` along the dimension.
  graph::Extent part(int index) const { return graph::part_of(around.size, parts, index, unit); }
};

PartsSizes sizes_of_split_parts(const Binding& binding);
PartsSizes sizes_of_join_parts(const Binding& binding);
PartsSizes sizes_of_slice(const Binding& binding);

/// Logits [n, classes] with n labels.
struct ClassSizes {
  std::int64_t n = 0, classes = 0;
};

/// For cross-entropy and the mean squared error.
ClassSizes sizes_of_cross_entropy(const Binding& binding, Storage storage = Storage::f32);
ClassSizes sizes_of_cross_entropy_backward(const Binding& binding, Storage storage = Storage::f32);

/// Sizes of the four fused linear cross-entropy ops: x[n, hidden], weight [vocabulary, hidden].
struct LinearCrossEntropySizes {
  std::int64_t n = 0, hidden = 0, vocabulary = 0;
};

LinearCrossEntropySizes sizes_of_linear_cross_entropy(const Binding& binding, Storage storage = Storage::f32);

}  // namespace ddlbench::kernels
