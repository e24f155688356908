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

/// How a layer's weight and bias start.
struct Start {
  enum class Rule : std::uint8_t {
    fan_in,   ///< both uniform in ±1/sqrt(fan-in), as PyTorch draws them where nobody says
    fan_out,  ///< normal with deviation sqrt(2 / fan-out) (He et al. 2015), the bias 0
    normal,   ///< normal with `deviation`, the bias 0
  };
  Rule rule = Rule::fan_in;
  float deviation = 0;
};

struct LinearLayer {
  std::int64_t width = 1;
  graph::Activation activation = graph::Activation::none;
  bool bias = true;
  Start start = {};
};

struct ConvolutionLayer {
  std::int64_t channels = 1;
  std::int64_t kernel = 1;
  graph::ConvolutionAttributes geometry = {};
  graph::Activation activation = graph::Activation::none;
  bool bias = true;
  Start start = {};
};

struct BatchNormLayer {
  graph::Activation activation = graph::Activation::none;
  std::int64_t samples = 0;  ///< that share a statistic; 0: the whole batch
  float epsilon = 1e-5F;
  float momentum = 0.1F;
};

/// That a model may have, as nodes of its graph: as many as the deepest published ones (ResNet-1202) need, which the
/// slowest strategy to compile (`tensor`) still does within half a minute.
inline constexpr std::size_t most_layers = 4000;

/// Appends the layers that models share. Throws InputError where a model gets more than most_layers. They bring their
/// parameters NAME.weight and NAME.bias, the weight in PyTorch's form [outputs, inputs, …].
class Builder {
 public:
  /// Begins with an input of the batch's samples, "tokens" of a text and else "images". Throws InputError unless
  /// batch > 0.
  Builder(std::string model, const ModelRequest& request);

  graph::TensorId input() const { return input_; }
  std::int64_t classes() const { return shape_.classes; }  ///< of the data set; of a text its tokens
  const graph::TensorType& type_of(graph::TensorId tensor) const;
  graph::TensorId parameter(std::string name, graph::Shape shape, graph::Initializer initializer);
  /// Any op, and its first output.
  graph::TensorId add(const std::string& name, graph::OpPtr op, std::vector<graph::TensorId> inputs);

  graph::TensorId linear(const std::string& name, graph::TensorId x, const LinearLayer& layer);
  graph::TensorId convolution(const std::string& name, graph::TensorId x, const ConvolutionLayer& layer);
  /// `residual` may be absent.
  graph::TensorId batch_norm(const std::string& name, graph::TensorId x, graph::TensorId residual,
                             const BatchNormLayer& layer);
  graph::TensorId layer_norm(const std::string& name, graph::TensorId x, float epsilon = 1e-5F);
  graph::TensorId max_pool(const std::string& name, graph::TensorId x, graph::PoolAttributes geometry);
  graph::TensorId adaptive_average_pool(const std::string& name, graph::TensorId x, std::int64_t side);
  /// Leaves what is already [N, features] as it is.
  graph::TensorId flatten(const std::string& name, graph::TensorId x);
  /// Adds nothing where the rate is 0.
  graph::TensorId dropout(const std::string& name, graph::TensorId x, double rate);

  /// Ends in the loss of `logits` with the input "labels": metrics "loss", "correct" and "correct_top5".
  graph::Graph finish(graph::TensorId logits) &&;
  /// The same of the logits x weightᵀ, which are made in chunks and never whole.
  graph::Graph finish_with_head(graph::TensorId x, graph::TensorId weight) &&;

 private:
  void require_few() const;
  const graph::Shape& shape_of(graph::TensorId tensor) const { return type_of(tensor).shape; }
  graph::TensorId labels();
  /// `evaluated`: what stands for the loss in evaluation; null: the same.
  graph::Graph end(graph::OpPtr loss, std::vector<graph::TensorId> inputs, graph::OpPtr evaluated) &&;

  graph::Graph graph_;
  SampleShape shape_;
  LossChoice loss_;
  graph::TensorId input_;
};

/// What models for MNIST are made for: 28 × 28 grey pixels, 10 classes.
SampleShape mnist_samples(const OptionValues&);
/// What models for ImageNet are made for: 3 channels of 224 × 224, 1000 classes.
SampleShape imagenet_samples(const OptionValues&);

/// The option "dropout" of models whose classifier drops some of its inputs.
Option classifier_dropout();

/// Throws InputError unless samples are f32 images with one label each, of at least `smallest` x `smallest` pixels.
/// `why` follows the size in its words.
void require_image(const std::string& model, const SampleShape& shape, std::int64_t smallest, const std::string& why);

}  // namespace ddlbench::workloads
