#include "workloads/models/transformer.h"

#include <fmt/core.h>
#include <cmath>

#include "base/error.h"
#include "graph/ops/attention.h"
#include "graph/ops/embedding.h"
#include "graph/ops/gelu.h"
#include "graph/ops/linear.h"
#include "graph/ops/shape.h"
#include "workloads/models/builder.h"

namespace ddlbench::workloads {
namespace {

using graph::Activation;
using graph::TensorId;

constexpr float initial_deviation = 0.02F;  ///< of GPT-2's initial weights
constexpr std::int64_t widening = 4;        ///< of the MLP's hidden layer
constexpr graph::Initializer table_start{graph::Initializer::Kind::normal, 0, initial_deviation};

class Transformer {
 public:
  Transformer(Builder& net, const TransformerSizes& sizes) : net_(net), sizes_(sizes) {}

  /// Adds one block: x + attention(norm(x)), then x + MLP(norm(x)).
  TensorId block(const std::string& name, TensorId x) {
    const std::int64_t hidden = sizes_.hidden;
    TensorId y = net_.layer_norm(name + ".ln_1", x);
    y = linear(name + ".attn.c_attn", y, 3 * hidden, initial_deviation);
    y = net_.add(name + ".attn", std::make_shared<graph::Attention>(hidden / sizes_.heads), {y});
    y = linear(name + ".attn.c_proj", y, hidden, residual_deviation());
    y = net_.dropout(name + ".attn.resid_dropout", y, sizes_.dropout);
    x = net_.add(name + ".attn.add", std::make_shared<graph::Add>(), {x, y});
    y = net_.layer_norm(name + ".ln_2", x);
    y = linear(name + ".mlp.c_fc", y, widening * hidden, initial_deviation);
    y = net_.add(name + ".mlp.gelu", std::make_shared<graph::Gelu>(graph::GeluForm::tanh), {y});
    y = linear(name + ".mlp.c_proj", y, hidden, residual_deviation());
    y = net_.dropout(name + ".mlp.dropout", y, sizes_.dropout);
    return net_.add(name + ".mlp.add", std::make_shared<graph::Add>(), {x, y});
  }

 private:
  /// Returns the initial deviation of layers that add to the residual stream: there are 2·layers of them, and their
  /// deviation is smaller by the square root of that number.
  float residual_deviation() const { return initial_deviation / std::sqrt(2.0F * static_cast<float>(sizes_.layers)); }

  TensorId linear(const std::string& name, TensorId x, std::int64_t width, float weight_deviation) {
    return net_.linear(name, x, {width, Activation::none, true, {WeightInit::Rule::normal, weight_deviation}});
  }

  Builder& net_;
  const TransformerSizes& sizes_;
};

void check(const std::string& name, const SampleShape& shape, const TransformerSizes& sizes) {
  if (shape.sample.dtype != graph::DType::i32 || shape.sample.shape.size() != 1 || shape.label != shape.sample.shape) {
    throw InputError(fmt::format(
        "{} needs text (i32 tokens with one label each), but the data set's samples are {}; use the data set text",
        name, graph::to_string(shape.sample)));
  }
  if (sizes.hidden % sizes.heads != 0) {
    throw InputError(
        fmt::format("{}: hidden {} is not divisible by {} heads; use a multiple", name, sizes.hidden, sizes.heads));
  }
  if (sizes.vocabulary != 0 && sizes.vocabulary < shape.classes) {
    throw InputError(fmt::format("{}: a vocabulary of {} tokens is too small for the data set's {}", name,
                                 sizes.vocabulary, shape.classes));
  }
}

}  // namespace

graph::Graph build_transformer(const std::string& name, const ModelRequest& request, const TransformerSizes& sizes) {
  const SampleShape& shape = request.shape;
  check(name, shape, sizes);
  const std::int64_t vocabulary = sizes.vocabulary != 0 ? sizes.vocabulary : shape.classes;
  Builder net(name, request);
  Transformer transformer(net, sizes);
  const TensorId table = net.parameter("wte.weight", {vocabulary, sizes.hidden}, table_start);
  const TensorId positions = net.parameter("wpe.weight", {shape.sample.shape[0], sizes.hidden}, table_start);
  TensorId x = net.add("wte", std::make_shared<graph::Embedding>(), {net.input(), table});
  x = net.add("wpe", std::make_shared<graph::AddPositions>(), {x, positions});
  x = net.dropout("drop", x, sizes.dropout);
  for (std::int64_t i = 0; i < sizes.layers; ++i) x = transformer.block(fmt::format("h.{}", i), x);
  x = net.layer_norm("ln_f", x);
  const TensorId head = sizes.tied ? table : net.parameter("lm_head.weight", {vocabulary, sizes.hidden}, table_start);
  if (sizes.fused_head) return std::move(net).finish_with_head(x, head);
  x = net.add("lm_head", std::make_shared<graph::Linear>(false, Activation::none), {x, head});
  return std::move(net).finish(x);
}

}  // namespace ddlbench::workloads
