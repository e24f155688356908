#pragma once

#include <string>
#include <vector>

#include "graph/ops/activation.h"  // before graph.h: GCC takes Activation::none for a shadow of graph::none

#include "graph/graph.h"
#include "graph/ops/batch_norm.h"
#include "graph/ops/conv2d.h"
#include "graph/ops/pool.h"
#include "workloads/model.h"

namespace ddlbench::workloads {

/// The initialisation of a layer's weight and bias.
struct WeightInit {
  enum class Rule : std::uint8_t {
    fan_in,   ///< both uniform in ±1/sqrt(fan-in), PyTorch's default
    fan_out,  ///< normal with deviation sqrt(2 / fan-out) (He et al. 2015), bias 0
    normal,   ///< normal with `deviation`, bias 0
  };
  Rule rule = Rule::fan_in;
  float deviation = 0;
};

struct LinearLayer {
  std::int64_t width = 1;
  graph::Activation activation = graph::Activation::none;
  bool bias = true;
  WeightInit start = {};
};

struct ConvolutionLayer {
  std::int64_t channels = 1;
  std::int64_t kernel = 1;
  graph::ConvolutionAttributes geometry = {};
  graph::Activation activation = graph::Activation::none;
  bool bias = true;
  WeightInit start = {};
};

struct BatchNormLayer {
  graph::Activation activation = graph::Activation::none;
  std::int64_t samples = 0;  ///< samples per statistic; 0: the whole batch
  float epsilon = 1e-5F;
  float momentum = 0.1F;
};

/// The maximum number of graph nodes of a model. It suffices for the deepest published models (ResNet-1202), which even
/// the slowest strategy to compile (`tensor`) compiles within half a minute.
inline constexpr std::size_t max_layers = 4000;

/// The maximum number of features or channels that an option can give a layer.
inline constexpr double widest_layer = 1 << 20;

inline constexpr auto relu = graph::Activation::relu;

/// Builds a model's graph from layers. Layers create their parameters NAME.weight and NAME.bias; weights have PyTorch's
/// shape [outputs, inputs, …]. Throws InputError where a model gets more than max_layers nodes.
class Builder {
 public:
  /// Starts with an input for the batch's samples, named "tokens" for a text and else "images". Throws InputError
  /// unless the batch and the number of classes are positive.
  Builder(std::string model, const ModelRequest& request);

  graph::TensorId input() const { return input_; }
  std::int64_t classes() const { return shape_.classes; }  ///< of the data set; for a text its vocabulary
  const graph::TensorType& type_of(graph::TensorId tensor) const;
  graph::TensorId parameter(std::string name, graph::Shape shape, graph::Initializer initializer);
  /// Adds any op and returns its first output.
  graph::TensorId add(const std::string& name, graph::OpPtr op, std::vector<graph::TensorId> inputs);

  graph::TensorId linear(const std::string& name, graph::TensorId x, const LinearLayer& layer);
  graph::TensorId convolution(const std::string& name, graph::TensorId x, const ConvolutionLayer& layer);
  /// `residual` may be graph::absent.
  graph::TensorId batch_norm(const std::string& name, graph::TensorId x, graph::TensorId residual,
                             const BatchNormLayer& layer);
  graph::TensorId layer_norm(const std::string& name, graph::TensorId x, float epsilon = 1e-5F);
  graph::TensorId max_pool(const std::string& name, graph::TensorId x, graph::PoolAttributes geometry);
  graph::TensorId adaptive_average_pool(const std::string& name, graph::TensorId x, std::int64_t side);
  /// Returns `x` unchanged if it already is [N, features].
  graph::TensorId flatten(const std::string& name, graph::TensorId x);
  /// Adds nothing if `rate` is 0.
  graph::TensorId dropout(const std::string& name, graph::TensorId x, double rate);

  /// Adds the loss of `logits` against the input "labels" and returns the graph, with metrics "loss", "correct" and
  /// "correct_top5".
  graph::Graph finish(graph::TensorId logits) &&;
  /// Same for the logits x weightᵀ, as a fused linear cross-entropy: they are computed in chunks and never stored
  /// whole.
  graph::Graph finish_with_head(graph::TensorId x, graph::TensorId weight) &&;

 private:
  void require_few() const;
  const graph::Shape& shape_of(graph::TensorId tensor) const { return type_of(tensor).shape; }
  graph::TensorId labels();
  /// `evaluated`: the loss op for evaluation; null: the same op.
  graph::Graph end(graph::OpPtr loss, std::vector<graph::TensorId> inputs, graph::OpPtr evaluated) &&;

  graph::Graph graph_;
  SampleShape shape_;
  LossChoice loss_;
  graph::TensorId input_;
};

/// Returns the sample shape of MNIST: 28 × 28 grey pixels, 10 classes.
SampleShape mnist_samples(const OptionValues&);
/// Returns the usual sample shape of ImageNet: 3 channels of 224 × 224, 1000 classes.
SampleShape imagenet_samples(const OptionValues&);

/// Returns the option "dropout" of models whose classifier has dropout.
Option classifier_dropout();

/// Throws InputError unless samples are f32 images with one label each, of at least `smallest` x `smallest` pixels. The
/// message gives `why` as the reason for the size.
void require_image(const std::string& model, const SampleShape& shape, std::int64_t smallest, const std::string& why);

}  // namespace ddlbench::workloads
