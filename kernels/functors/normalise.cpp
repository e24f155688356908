#include "kernels/functors/normalise.h"

#include <algorithm>

#include "graph/ops/normalise.h"

namespace ddlbench::kernels {

NormaliseSizes sizes_of_normalise(const Binding& binding) {
  const auto& op = attributes_of<graph::Normalise>(binding);
  expect_operands(binding, 1, 1);
  expect_no_accumulation(binding);
  expect(binding, binding.outputs == op.infer(binding.inputs), "the types do not fit together");
  const graph::Shape& shape = binding.inputs[0].shape;
  NormaliseSizes z;
  z.elements = graph::elements(shape);
  z.inner = std::max<std::int64_t>(z.elements, 1);
  if (op.normalisation.mean.size() == 1) return z;
  z.channels = shape[1];
  z.inner = graph::elements({shape.begin() + 2, shape.end()});
  return z;
}

}  // namespace ddlbench::kernels
