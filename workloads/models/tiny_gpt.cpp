#include <cmath>

#include "graph/error.h"
#include "graph/ops/attention.h"
#include "graph/ops/embedding.h"
#include "graph/ops/gelu.h"
#include "graph/ops/layer_norm.h"
#include "graph/ops/linear.h"
#include "graph/ops/shape.h"
#include "workloads/models/builder.h"
#include "workloads/models/models.h"

namespace ddlbench::workloads {
namespace {

using graph::Initializer;
using graph::TensorId;

constexpr float deviation = 0.02F;  ///< of GPT-2's weights
constexpr float epsilon = 1e-5F;
constexpr std::int64_t widening = 4;  ///< of the MLP

Initializer constant(float value) {
  return {Initializer::Kind::constant, value, 0};
}

Initializer normal(float standard_deviation) {
  return {Initializer::Kind::normal, 0, standard_deviation};
}

struct Sizes {
  std::int64_t layers, heads, hidden;
  /// What is added to the residual stream 2·layers times begins smaller by the root of that number.
  Initializer residual() const { return normal(deviation / std::sqrt(2.0F * static_cast<float>(layers))); }
};

TensorId layer_norm(Builder& net, const std::string& name, TensorId x, std::int64_t hidden) {
  const TensorId gamma = net.parameter(name + ".weight", {hidden}, constant(1));
  const TensorId beta = net.parameter(name + ".bias", {hidden}, constant(0));
  return net.add(name, std::make_shared<graph::LayerNorm>(epsilon), {x, gamma, beta});
}

TensorId linear(Builder& net, const std::string& name, TensorId x, std::int64_t inputs, std::int64_t outputs,
                Initializer initializer) {
  const TensorId weight = net.parameter(name + ".weight", {outputs, inputs}, initializer);
  const TensorId bias = net.parameter(name + ".bias", {outputs}, constant(0));
  return net.add(name, std::make_shared<graph::Linear>(true, graph::Activation::none), {x, weight, bias});
}

/// x + attention(norm(x)), then the same with the MLP.
TensorId block(Builder& net, const std::string& name, TensorId x, const Sizes& sizes) {
  const std::int64_t hidden = sizes.hidden;
  TensorId y = layer_norm(net, name + ".ln_1", x, hidden);
  y = linear(net, name + ".attn.c_attn", y, hidden, 3 * hidden, normal(deviation));
  y = net.add(name + ".attn", std::make_shared<graph::Attention>(hidden / sizes.heads), {y});
  y = linear(net, name + ".attn.c_proj", y, hidden, hidden, sizes.residual());
  x = net.add(name + ".attn.add", std::make_shared<graph::Add>(), {x, y});
  y = layer_norm(net, name + ".ln_2", x, hidden);
  y = linear(net, name + ".mlp.c_fc", y, hidden, widening * hidden, normal(deviation));
  y = net.add(name + ".mlp.gelu", std::make_shared<graph::Gelu>(graph::GeluForm::tanh), {y});
  y = linear(net, name + ".mlp.c_proj", y, widening * hidden, hidden, sizes.residual());
  return net.add(name + ".mlp.add", std::make_shared<graph::Add>(), {x, y});
}

graph::Graph build(const SampleShape& shape, std::int64_t batch, const graph::OptionValues& options) {
  if (shape.sample.dtype != graph::DType::i32 || shape.sample.shape.size() != 1 || shape.label != shape.sample.shape) {
    throw InputError("tiny-gpt needs texts, i32 tokens with a label each, but the data set's samples are " +
                     graph::to_string(shape.sample) + "; use the data set text");
  }
  const Sizes sizes{graph::value_of<std::int64_t>(options, "layers"), graph::value_of<std::int64_t>(options, "heads"),
                    graph::value_of<std::int64_t>(options, "hidden")};
  if (sizes.hidden % sizes.heads != 0) {
    throw InputError("tiny-gpt: hidden " + std::to_string(sizes.hidden) + " does not divide into " +
                     std::to_string(sizes.heads) + " heads; use a multiple");
  }
  Builder net("tiny-gpt", shape, batch);
  const TensorId table = net.parameter("wte.weight", {shape.classes, sizes.hidden}, normal(deviation));
  const TensorId positions = net.parameter("wpe.weight", {shape.sample.shape[0], sizes.hidden}, normal(deviation));
  TensorId x = net.add("wte", std::make_shared<graph::Embedding>(), {net.input(), table});
  x = net.add("wpe", std::make_shared<graph::AddPositions>(), {x, positions});
  for (std::int64_t i = 0; i < sizes.layers; ++i) x = block(net, "h." + std::to_string(i), x, sizes);
  x = layer_norm(net, "ln_f", x, sizes.hidden);
  const TensorId head = graph::value_of<bool>(options, "tied")
                            ? table
                            : net.parameter("lm_head.weight", {shape.classes, sizes.hidden}, normal(deviation));
  x = net.add("lm_head", std::make_shared<graph::Linear>(false, graph::Activation::none), {x, head});
  return std::move(net).finish(x);
}

}  // namespace

ModelKind tiny_gpt() {
  return {"tiny-gpt",
          "a transformer in GPT-2's form (Radford et al. 2019) over the positions of a text",
          {{"layers", std::int64_t{4}, "blocks of attention and MLP", 1, {}, 1 << 12},
           {"heads", std::int64_t{4}, "of each attention", 1, {}, 1 << 12},
           {"hidden", std::int64_t{128}, "features of the residual stream, a multiple of the heads", 1, {}, 1 << 16},
           {"tied", true, "the embedding's table is the head's weight too"}},
          build};
}

}  // namespace ddlbench::workloads
