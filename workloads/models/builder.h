#pragma once

#include <string>

#include "graph/ops/activation.h"  // before graph.h: GCC takes Activation::none for a shadow of graph::none

#include "graph/graph.h"
#include "workloads/model.h"

namespace ddlbench::workloads {

/// Appends the layers that models share. `linear` and `convolution` bring their parameters NAME.weight and
/// NAME.bias, drawn from ±1/sqrt(fan-in) as PyTorch draws them, so that results can be held against its.
class Builder {
 public:
  /// Begins with an input of `batch` samples, "tokens" of a text and else "images". Throws InputError unless
  /// batch > 0.
  Builder(std::string model, const SampleShape& shape, std::int64_t batch);

  graph::TensorId input() const { return input_; }
  graph::TensorId parameter(std::string name, graph::Shape shape, graph::Initializer initializer);
  /// Any op, and its first output.
  graph::TensorId add(const std::string& name, graph::OpPtr op, std::vector<graph::TensorId> inputs);

  graph::TensorId linear(const std::string& name, graph::TensorId x, std::int64_t width, graph::Activation activation);
  /// Stride 1, no padding.
  graph::TensorId convolution(const std::string& name, graph::TensorId x, std::int64_t channels, std::int64_t kernel,
                              graph::Activation activation);
  graph::TensorId max_pool(const std::string& name, graph::TensorId x, int kernel);
  /// Leaves what is already [N, features] as it is.
  graph::TensorId flatten(const std::string& name, graph::TensorId x);

  /// Ends in the cross-entropy of `logits` with the input "labels": metrics "loss" and "correct".
  graph::Graph finish(graph::TensorId logits) &&;

 private:
  const graph::Shape& shape_of(graph::TensorId tensor) const;

  graph::Graph graph_;
  SampleShape shape_;
  graph::TensorId input_;
};

}  // namespace ddlbench::workloads
