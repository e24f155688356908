#include "graph/ops/pool.h"

#include <fmt/core.h>

#include "base/error.h"
#include "graph/attributes.h"
#include "graph/graph.h"
#include "graph/ops/layer.h"

namespace ddlbench::graph {
namespace {

/// Returns [N, C, P, Q] for windows that move over x[N, C, H, W]. Throws InputError if the window does not fit.
Shape pooled(const std::string& kind, const PoolAttributes& geometry, const Shape& x) {
  const auto& [kernel, stride, padding] = geometry;
  if (kernel < 1 || stride < 1 || padding < 0 || padding >= kernel)
    throw InputError(kind + ": kernel and stride must be positive, and padding must be 0 to kernel - 1");
  if (x.size() != 4 || x[2] + 2 * padding < kernel || x[3] + 2 * padding < kernel)
    throw InputError(fmt::format("{}: a window of {} does not fit in {}{}; use larger images or fewer layers", kind,
                                 kernel, to_string(x), padding > 0 ? fmt::format(" with padding {}", padding) : ""));
  return {x[0], x[1], (x[2] + 2 * padding - kernel) / stride + 1, (x[3] + 2 * padding - kernel) / stride + 1};
}

TensorType resized(const TensorType& type, std::int64_t height, std::int64_t width) {
  return {{type.shape.at(0), type.shape.at(1), height, width}, type.dtype, type.channel_block};
}

double area(const PoolAttributes& geometry) {
  return static_cast<double>(geometry.kernel) * geometry.kernel;
}

/// Returns the signatures of ops from `inputs` to `outputs` tensors that treat each image and each channel
/// independently.
std::vector<Signature> plane_signatures(std::size_t inputs, std::size_t outputs) {
  std::vector<Signature> all;
  for (const int dimension : {0, 1}) {
    all.push_back(
        {std::vector<Placement>(inputs, sharded(dimension)), std::vector<Placement>(outputs, sharded(dimension))});
  }
  return all;
}

/// Returns the same for an op with one input and one output that is linear: the means of partial sums are partial sums.
std::vector<Signature> mean_signatures() {
  auto all = plane_signatures(1, 1);
  all.push_back({{partial_sum()}, {partial_sum()}});
  return all;
}

/// Returns the total number of elements in all windows along one dimension, from `size` elements to `outputs` means.
double elements_of_adaptive_windows(std::int64_t size, std::int64_t outputs) {
  std::int64_t total = 0;
  for (std::int64_t i = 0; i < outputs; ++i) total += ((i + 1) * size + outputs - 1) / outputs - i * size / outputs;
  return static_cast<double>(total);
}

/// One addition for each element of each window.
double adaptive_flops(const Shape& image, const Shape& means) {
  return static_cast<double>(image.at(0) * image.at(1)) * elements_of_adaptive_windows(image.at(2), means.at(2)) *
         elements_of_adaptive_windows(image.at(3), means.at(3));
}

}  // namespace

std::string PoolOp::attributes() const {
  const std::string words = attribute_text("kernel", geometry.kernel, "stride", geometry.stride);
  return geometry.padding == 0 ? words : fmt::format("{} {}", words, attribute_text("padding", geometry.padding));
}

std::vector<TensorType> PoolBackwardOp::infer(Types inputs) const {
  return {resized(inputs[0], height, width)};
}

std::string AdaptivePoolOp::attributes() const {
  return fmt::format("to {}x{}", height, width);
}

std::vector<TensorType> AdaptivePoolOp::infer(Types inputs) const {
  return {resized(inputs[0], height, width)};
}

std::vector<Signature> AdaptivePoolOp::signatures(Types) const {
  return mean_signatures();
}

std::vector<TensorType> MaxPool2d::infer(Types inputs) const {
  require(geometry.kernel <= 16, "max_pool2d: kernel must be 1 to 16");
  const Shape y = pooled("max_pool2d", geometry, inputs[0].shape);
  return {{y, inputs[0].dtype, inputs[0].channel_block}, {y, DType::u8, inputs[0].channel_block}};
}

double MaxPool2d::flops(Types, Types outputs) const {
  return static_cast<double>(elements(outputs[0].shape)) * area(geometry);
}

std::vector<Signature> MaxPool2d::signatures(Types) const {
  return plane_signatures(1, 2);
}

void MaxPool2d::differentiate(Differentiation& d) const {
  if (!d.needs_gradient(0)) return;
  const Shape& x = d.input_type(0).shape;
  d.backward_input(std::make_shared<MaxPool2dBackward>(geometry, x[2], x[3]), {selected_gradient(d), d.output(1)});
}

std::vector<Signature> MaxPool2dBackward::signatures(Types) const {
  return plane_signatures(2, 1);
}

std::vector<TensorType> AveragePool2d::infer(Types inputs) const {
  return {{pooled("average_pool2d", geometry, inputs[0].shape), inputs[0].dtype}};
}

double AveragePool2d::flops(Types, Types outputs) const {
  return static_cast<double>(elements(outputs[0].shape)) * area(geometry);
}

std::vector<Signature> AveragePool2d::signatures(Types) const {
  return mean_signatures();
}

void AveragePool2d::differentiate(Differentiation& d) const {
  const Shape& x = d.input_type(0).shape;
  d.backward_input(std::make_shared<AveragePool2dBackward>(geometry, x[2], x[3]), {d.output_gradient(0)});
}

double AveragePool2dBackward::flops(Types inputs, Types) const {
  return static_cast<double>(elements(inputs[0].shape)) * area(geometry);
}

std::vector<Signature> AveragePool2dBackward::signatures(Types) const {
  return mean_signatures();
}

std::vector<TensorType> AdaptiveAveragePool2d::infer(Types inputs) const {
  require(height >= 1 && width >= 1, "adaptive_average_pool2d: height and width must be positive");
  const Shape& x = inputs[0].shape;
  if (x.size() != 4 || x[2] < 1 || x[3] < 1)
    throw InputError("adaptive_average_pool2d: " + to_string(x) + " has no images to average");
  return AdaptivePoolOp::infer(inputs);
}

double AdaptiveAveragePool2d::flops(Types inputs, Types outputs) const {
  return adaptive_flops(inputs[0].shape, outputs[0].shape);
}

void AdaptiveAveragePool2d::differentiate(Differentiation& d) const {
  const Shape& x = d.input_type(0).shape;
  d.backward_input(std::make_shared<AdaptiveAveragePool2dBackward>(x[2], x[3]), {d.output_gradient(0)});
}

double AdaptiveAveragePool2dBackward::flops(Types inputs, Types outputs) const {
  return adaptive_flops(outputs[0].shape, inputs[0].shape);
}

}  // namespace ddlbench::graph
