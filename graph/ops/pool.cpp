#include "graph/ops/pool.h"

#include "graph/error.h"
#include "graph/graph.h"

namespace ddlbench::graph {
namespace {

std::string in_words(int kernel, int stride) {
  return "kernel=" + std::to_string(kernel) + " stride=" + std::to_string(stride);
}

}  // namespace

std::string MaxPool2d::attributes() const {
  return in_words(kernel, stride);
}

std::vector<TensorType> MaxPool2d::infer(Types inputs) const {
  const Shape& x = inputs[0].shape;
  require(kernel >= 1 && kernel <= 16 && stride >= 1, "max_pool2d: kernel must be 1 to 16, stride positive");
  if (x.size() != 4 || x[2] < kernel || x[3] < kernel)
    throw InputError("max_pool2d: a window of " + std::to_string(kernel) + " does not fit in " + to_string(x) +
                     "; use larger images or fewer layers");
  const Shape y{x[0], x[1], (x[2] - kernel) / stride + 1, (x[3] - kernel) / stride + 1};
  return {{y, inputs[0].dtype}, {y, DType::u8}};
}

double MaxPool2d::flops(Types, Types outputs) const {
  return static_cast<double>(elements(outputs[0].shape)) * kernel * kernel;
}

std::vector<Signature> MaxPool2d::signatures(Types) const {
  return {{{sharded(0)}, {sharded(0), sharded(0)}}, {{sharded(1)}, {sharded(1), sharded(1)}}};
}

void MaxPool2d::differentiate(Differentiation& d) const {
  if (!d.needs_gradient(0)) return;
  const Shape& x = d.input_type(0).shape;
  d.set_gradient(0, d.emit("backward_input", std::make_shared<MaxPool2dBackward>(kernel, stride, x[2], x[3]),
                           {d.output_gradient(0), d.output(1)}, Phase::backward_input)[0]);
}

std::string MaxPool2dBackward::attributes() const {
  return in_words(kernel, stride);
}

std::vector<TensorType> MaxPool2dBackward::infer(Types inputs) const {
  return {{{inputs[0].shape.at(0), inputs[0].shape.at(1), height, width}, inputs[0].dtype}};
}

double MaxPool2dBackward::flops(Types inputs, Types) const {
  return static_cast<double>(elements(inputs[0].shape));
}

std::vector<Signature> MaxPool2dBackward::signatures(Types) const {
  return {{{sharded(0), sharded(0)}, {sharded(0)}}, {{sharded(1), sharded(1)}, {sharded(1)}}};
}

}  // namespace ddlbench::graph
