#include "kernels/rewrite/convolution_as_linear.h"

#include "graph/ops/conv2d.h"
#include "graph/ops/linear.h"
#include "kernels/binding.h"

namespace ddlbench::kernels {
namespace {

using graph::TensorType;

bool is_pointwise(const graph::ConvolutionAttributes& geometry, const TensorType& filter) {
  return filter.shape[2] * filter.shape[3] == 1 && geometry.stride == 1 && geometry.padding == 0 &&
         geometry.groups == 1;
}

bool has_channels_last(const TensorType& image) {
  return image.channel_block == image.shape[1];
}

/// Returns a matrix type of positions by channels; for a filter, outputs by inputs.
TensorType matrix(const TensorType& type) {
  const graph::Shape& s = type.shape;
  return {{s[0] * s[2] * s[3], s[1]}, type.dtype};
}

std::optional<Binding> linear_binding(const Binding& b, const graph::ConvolutionAttributes& geometry,
                                      const TensorType& x, const TensorType& w, const TensorType& y, graph::OpPtr op) {
  if (!is_pointwise(geometry, w) || !has_channels_last(x) || !has_channels_last(y)) return std::nullopt;
  Binding made = b;
  made.op = std::move(op);
  for (auto* types : {&made.inputs, &made.outputs})
    for (TensorType& type : *types)
      if (type.shape.size() == 4) type = matrix(type);
  return made;
}

}  // namespace

std::optional<Binding> as_linear(const Binding& b) {
  if (const auto* op = dynamic_cast<const graph::Conv2d*>(b.op.get())) {
    return linear_binding(b, op->geometry, b.inputs[0], b.inputs[1], b.outputs[0],
                          std::make_shared<graph::Linear>(op->bias, op->activation));
  }
  if (const auto* op = dynamic_cast<const graph::Conv2dBackwardInput*>(b.op.get())) {
    return linear_binding(b, op->geometry, b.outputs[0], b.inputs[1], b.inputs[0],
                          std::make_shared<graph::LinearBackwardInput>());
  }
  const auto& op = attributes_of<graph::Conv2dBackwardWeight>(b);
  return linear_binding(b, op.geometry, b.inputs[0], b.outputs[0], b.inputs[1],
                        std::make_shared<graph::LinearBackwardWeight>(op.bias));
}

}  // namespace ddlbench::kernels
