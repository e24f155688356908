#include "cases.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <limits>
#include <regex>
#include <string>
#include <tuple>

#include "case_list.h"
#include "catch.h"
#include "codec_cases.h"
#include "graph/ops/attention.h"
#include "graph/ops/embedding.h"
#include "graph/ops/gelu.h"
#include "graph/ops/layer_norm.h"
#include "graph/ops/linear.h"
#include "graph/ops/loss.h"
#include "graph/ops/readiness.h"
#include "graph/ops/reorder.h"
#include "graph/ops/shape.h"
#include "graph/ops/weighted_sum.h"
#include "low_rank_cases.h"
#include "norm_cases.h"
#include "optimizer_cases.h"

namespace ddlbench::test {
namespace {

using graph::Activation;

void add_linears(Cases& cases) {
  const std::int64_t sizes[][3] = {{1, 1, 1}, {1, 7, 3}, {5, 33, 17}, {64, 256, 120}, {3, 84, 10}, {0, 4, 3}};
  for (const auto& [n, in, out] : sizes) {
    const auto x = random_tensor({n, in}, "x"), w = random_tensor({out, in}, "w"), b = random_tensor({out}, "b");
    const auto dz = random_tensor({n, out}, "dz");
    for (const auto f : {Activation::none, Activation::relu}) {
      cases.add_both(std::make_shared<graph::Linear>(false, f), {x, w}, static_cast<double>(in));
      cases.add_both(std::make_shared<graph::Linear>(true, f), {x, w, b}, static_cast<double>(in + 1));
    }
    cases.add_both(std::make_shared<graph::LinearBackwardInput>(), {dz, w}, static_cast<double>(out));
    cases.add_both(std::make_shared<graph::LinearBackwardWeight>(false), {x, dz}, static_cast<double>(n + 1));
    cases.add_both(std::make_shared<graph::LinearBackwardWeight>(true), {x, dz}, static_cast<double>(n + 1));
  }
  const auto x = random_tensor({3, 5, 8}, "x"), w = random_tensor({6, 8}, "w"), b = random_tensor({6}, "b");
  const auto dz = random_tensor({3, 5, 6}, "dz");
  cases.add_both(std::make_shared<graph::Linear>(true, Activation::none), {x, w, b}, 9);
  cases.add_both(std::make_shared<graph::LinearBackwardInput>(), {dz, w}, 6);
  cases.add_both(std::make_shared<graph::LinearBackwardWeight>(true), {x, dz}, 16);
}

void add_elementwise(Cases& cases) {
  for (const graph::Shape& shape : {graph::Shape{1, 1}, {5, 3}, {2, 3, 4, 5}, {3, 1, 1, 1}, {2, 7, 100, 70}, {0, 3}}) {
    const auto x = random_tensor(shape, "x"), y = random_tensor(shape, "y"), b = random_tensor({shape[1]}, "b");
    const auto last = random_tensor({shape.back()}, "last");
    for (const auto f : {Activation::none, Activation::relu}) {
      cases.add_both(std::make_shared<graph::ActivationBackward>(f), {x, y}, 2);
      cases.add_both(std::make_shared<graph::BiasActivation>(f, graph::Features::second), {x, b}, 3);
      cases.add_both(std::make_shared<graph::BiasActivation>(f, graph::Features::last), {x, last}, 3);
      cases.add_both(std::make_shared<graph::BiasActivation>(f, graph::Features::last, false), {x}, 2);
    }
    for (const auto features : {graph::Features::second, graph::Features::last}) {
      const std::int64_t size = shape[static_cast<std::size_t>(graph::dimension_of(features, shape))];
      const double terms = static_cast<double>(graph::elements(shape) / size) + 1;
      cases.add_both(std::make_shared<graph::BiasBackward>(features), {x}, terms);
    }
    cases.add_both(std::make_shared<graph::Add>(), {x, y}, 3);
    cases.add_both(std::make_shared<graph::WeightedSum>(std::vector{0.25}), {x}, 2);
    cases.add_both(std::make_shared<graph::WeightedSum>(std::vector{0.75, -1.5}), {x, y}, 4);
    cases.add_both(std::make_shared<graph::KeepWhere>(), {x, y}, 2);
    const auto wide = random_tensor(shape, "wide", -8, 8);
    for (const auto form : {graph::GeluForm::exact, graph::GeluForm::tanh}) {
      cases.add_both(std::make_shared<graph::Gelu>(form), {wide}, 8);
      cases.add_both(std::make_shared<graph::GeluBackward>(form), {y, wide}, 16);
    }
  }
}

/// Returns marks in which each tensor is ready in one cycle.
HostTensor ready_in_turn(std::int64_t tensors, std::int64_t cycles) {
  HostTensor marks{{{cycles * tensors}, graph::DType::u8}, {}};
  for (std::int64_t cycle = 0; cycle < cycles; ++cycle)
    for (std::int64_t i = 0; i < tensors; ++i) marks.values.push_back(i % cycles == cycle ? 0 : 1);
  return marks;
}

void add_marks(Cases& cases) {
  for (const auto& [tensors, ready] : {std::pair{1, graph::Extent{0, 1}}, {10, {0, 0}}, {10, {3, 5}}, {300, {7, 300}}})
    cases.add(std::make_shared<graph::MarkReady>(tensors, ready), {}, 0);
  for (const auto& [tensors, cycles] : {std::pair{1, 1}, {1, 3}, {7, 3}, {300, 2}})
    cases.add(std::make_shared<graph::ConfirmReady>(tensors), {ready_in_turn(tensors, cycles), random_tensor({1}, "x")},
              0);
}

void add_reorders(Cases& cases) {
  for (const auto& [shape, block] :
       {std::pair{graph::Shape{2, 16, 3, 5}, 8}, {{3, 12, 1, 1}, 4}, {{1, 32, 40, 50}, 16}}) {
    auto x = random_tensor(shape, "x");
    cases.add(std::make_shared<graph::Reorder>(block), {x}, 0);
    x.type.channel_block = block;
    cases.add(std::make_shared<graph::Reorder>(1), {x}, 0);
  }
}

void add_losses(Cases& cases) {
  for (const auto& [n, classes] : {std::pair{1, 1}, {1, 10}, {7, 3}, {64, 1000}, {0, 10}}) {
    std::vector<int> classes_of_samples;
    for (int i = 0; i < n; ++i) classes_of_samples.push_back(i % 5 == 4 ? -1 : i * 7 % classes);
    const auto logits = random_tensor({n, classes}, "logits", -5, 5);
    const double terms = n + classes + 10;
    const auto right = labels(classes_of_samples);
    for (const float smoothing : {0.0f, 0.1f}) {
      cases.add_both(std::make_shared<graph::CrossEntropy>(smoothing), {logits, right}, terms);
      cases.add_both(std::make_shared<graph::CrossEntropyBackward>(smoothing), {logits, right}, terms);
    }
    cases.add_both(std::make_shared<graph::MeanSquaredError>(), {logits, right}, 5 * terms);
    cases.add_both(std::make_shared<graph::MeanSquaredErrorBackward>(), {logits, right}, terms);
  }
  for (const auto& [n, hidden, classes] : {std::tuple{1, 1, 1}, {7, 5, 3}, {40, 33, 70}, {0, 4, 3}}) {
    std::vector<int> classes_of_samples;
    for (int i = 0; i < n; ++i) classes_of_samples.push_back(i % 5 == 4 ? -1 : i * 7 % classes);
    const auto x = random_tensor({n, hidden}, "x"), w = random_tensor({classes, hidden}, "w");
    const auto right = labels(classes_of_samples, {n});
    const double terms = n + classes + 5 * hidden;
    cases.add_both(std::make_shared<graph::LinearCrossEntropy>(0.1f), {x, w, right}, terms);
    cases.add_both(std::make_shared<graph::LinearCrossEntropyAndGradients>(0.1f), {x, w, right}, terms);
  }
}

/// A text of `classes` tokens in which some stand often and some never.
HostTensor text(std::int64_t batch, std::int64_t positions, int classes, bool with_gaps) {
  std::vector<int> tokens;
  for (int i = 0; i < static_cast<int>(batch * positions); ++i)
    tokens.push_back(with_gaps && i % 5 == 4 ? -1 : i * i * 7 % classes);
  return labels(tokens, {batch, positions});
}

void add_texts(Cases& cases) {
  struct Text {
    std::int64_t batch, positions, features;
    int classes;
  };
  for (const auto& [batch, positions, features, classes] :
       {Text{1, 1, 1, 1}, Text{2, 3, 4, 5}, Text{3, 33, 20, 11}, Text{4, 64, 130, 256}, Text{0, 3, 4, 5}}) {
    const auto table = random_tensor({classes, features}, "table"), p = random_tensor({positions, features}, "p");
    const auto x = random_tensor({batch, positions, features}, "x");
    const auto tokens = text(batch, positions, classes, false);
    cases.add_both(std::make_shared<graph::Embedding>(), {tokens, table}, 2);
    const auto rows = static_cast<double>(batch * positions) + 1;
    cases.add_both(std::make_shared<graph::EmbeddingBackwardWeight>(classes), {tokens, x}, rows);
    cases.add_both(std::make_shared<graph::AddPositions>(), {x, p}, 3);
    cases.add_both(std::make_shared<graph::AddPositionsBackwardWeight>(), {x}, static_cast<double>(batch) + 1);
    const auto logits = random_tensor({batch, positions, classes}, "logits", -5, 5);
    const auto gaps = text(batch, positions, classes, true);
    cases.add_both(std::make_shared<graph::CrossEntropy>(), {logits, gaps}, rows + classes + 10);
    cases.add_both(std::make_shared<graph::CrossEntropyBackward>(), {logits, gaps}, rows + classes + 10);
  }
}

/// Rows of 8 features and more: the deviation of so many uniform numbers is near 1/√3, so that dividing by it
/// hardly magnifies what x was rounded by.
void add_norms(Cases& cases) {
  for (const graph::Shape& shape :
       {graph::Shape{1, 8}, {5, 3, 16}, {2, 40, 33}, {3, 128}, {0, 3, 8}, {2, 1025}, {2, 1040}, {2, 8200}}) {
    const auto x = random_tensor(shape, "x"), dy = random_tensor(shape, "dy");
    const auto gamma = random_tensor({shape.back()}, "gamma"), beta = random_tensor({shape.back()}, "beta");
    const graph::Shape rows(shape.begin(), shape.end() - 1);
    const auto mean = random_tensor(rows, "mean", -0.1f, 0.1f), rstd = random_tensor(rows, "rstd", 1.5f, 2);
    const auto features = static_cast<double>(shape.back());
    cases.add(std::make_shared<graph::LayerNorm>(1e-5f), {x, gamma, beta}, features);
    cases.add_both(std::make_shared<graph::LayerNormBackwardInput>(), {dy, x, gamma, mean, rstd}, features);
    cases.add_both(std::make_shared<graph::LayerNormBackwardWeight>(), {dy, x, mean, rstd},
                   static_cast<double>(graph::elements(rows)) + 1);
  }
}

/// y and the log-sum-exp that backward is given are those of forward, or its softmax would not sum to 1.
void add_attentions(Cases& cases) {
  struct Sizes {
    std::int64_t batch, positions, heads, head_size;
  };
  const auto oracle = device("reference");
  for (const auto& [batch, positions, heads, head_size] :
       {Sizes{1, 1, 1, 1}, Sizes{2, 7, 3, 4}, Sizes{1, 64, 2, 16}, Sizes{2, 130, 1, 8}, Sizes{0, 4, 2, 4}}) {
    const auto qkv = random_tensor({batch, positions, heads * 3 * head_size}, "qkv", -2, 2);
    const auto dy = random_tensor({batch, positions, heads * head_size}, "dy");
    const auto op = std::make_shared<graph::Attention>(head_size);
    const auto terms = static_cast<double>(positions + head_size);
    cases.add(op, {qkv}, terms);
    const auto kept = run(*oracle, {op, {qkv}, {}});
    cases.add(std::make_shared<graph::AttentionBackward>(head_size), {dy, qkv, kept[0], kept[1]}, terms);
  }
}

void add_shapes(Cases& cases) {
  struct Parted {
    graph::Shape shape;
    int dimension, parts;
    std::int64_t unit = 1;
  };
  for (const auto& [shape, dimension, parts, unit] :
       {Parted{{7}, 0, 3}, Parted{{4, 5}, 1, 2}, Parted{{3, 7, 2, 2}, 1, 4}, Parted{{2, 3, 40, 500}, 2, 3},
        Parted{{2, 2}, 1, 5}, Parted{{0, 3}, 1, 2}, Parted{{2, 20, 3}, 1, 3, 4}}) {
    const auto x = random_tensor(shape, "x");
    cases.add(std::make_shared<graph::SplitParts>(dimension, parts, unit), {x}, 0);
    cases.add(std::make_shared<graph::JoinParts>(dimension, parts, unit), {x}, 0);
    for (int i = 0; i < parts; ++i) cases.add(std::make_shared<graph::Slice>(dimension, parts, i, unit), {x}, 0);
  }
}

}  // namespace

double tolerance(double terms) {
  return terms == 0 ? 0 : 8 * std::numeric_limits<float>::epsilon() * (std::sqrt(terms) + 1) * 5;
}

std::vector<OpCase> op_cases() {
  Cases cases;
  add_convolutions(cases);
  add_linears(cases);
  add_pools(cases);
  add_elementwise(cases);
  add_reorders(cases);
  add_losses(cases);
  add_texts(cases);
  add_norms(cases);
  add_attentions(cases);
  add_shapes(cases);
  add_encodes(cases);
  add_decodes(cases, graph::DType::f32);
  add_low_rank(cases);
  add_marks(cases);
  std::vector<OpCase> all = cases.take();
  for (OpCase& one : norm_cases()) all.push_back(std::move(one));
  for (OpCase& one : optimizer_cases()) all.push_back(std::move(one));
  return all;
}

void on_each(const std::vector<OpCase>& cases, const std::function<void(const OpCase&)>& body) {
  const char* const only = std::getenv("DDLBENCH_TEST_OPS");
  const std::regex kinds(only != nullptr ? only : ".*");
  const auto is_chosen = [&](const OpCase& one) { return std::regex_match(std::string(one.run.op->kind()), kinds); };
  if (only != nullptr) {
    const std::vector<OpCase> all = op_cases();
    if (std::none_of(all.begin(), all.end(), is_chosen)) FAIL("DDLBENCH_TEST_OPS matches no op: " << only);
  }
  for (const OpCase& one : cases) {
    if (!is_chosen(one)) continue;
    std::string shapes;
    for (const auto& tensor : one.run.inputs) shapes.append(" ").append(graph::to_string(tensor.type));
    CAPTURE(one.name, shapes);
    try {
      body(one);
    } catch (const std::exception& error) {
      FAIL_CHECK(error.what());
    }
  }
}

}  // namespace ddlbench::test
