#include "graph/ops/dropout.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "catch.h"
#include "graph/graph.h"
#include "graph/ops/cast.h"
#include "graph/random.h"
#include "harness.h"
#include "norm_cases.h"

using namespace ddlbench;
using test::HostTensor;

namespace {

const graph::Scalars scalars_of_step_3 = [] {
  graph::Scalars scalars;
  scalars.seed = 0x123456789ABCDEF0u;
  scalars.step = 3;
  return scalars;
}();

HostTensor drop(kernels::Device& device, const graph::OpPtr& op, const HostTensor& x, const std::vector<int>& samples,
                const graph::Scalars& scalars = scalars_of_step_3) {
  test::Run run{op, {x, test::labels(samples, {x.type.shape[0]})}, {}};
  run.scalars = scalars;
  return test::run(device, run)[0];
}

HostTensor flat_tensor(std::vector<float> values) {
  const graph::Shape shape{static_cast<std::int64_t>(values.size())};
  return {{shape, graph::DType::f32}, std::move(values)};
}

HostTensor ones(const graph::Shape& shape) {
  HostTensor tensor = test::zeros({shape, graph::DType::f32});
  std::fill(tensor.values.begin(), tensor.values.end(), 1.0f);
  return tensor;
}

}  // namespace

TEST_CASE("dropout keeps an element if its random word reaches the rate") {
  const std::vector<int> samples{5, 0, 70000};
  const auto x = test::random_tensor({3, 5, 13}, "x", 1, 2);
  const std::uint64_t key = graph::random_key(scalars_of_step_3.seed, graph::Purpose::dropout, "encoder.drop");
  for (const float rate : {0.125f, 0.5f, 0.9f}) {
    for (const auto& device : test::every_device()) {
      const auto y = drop(*device, std::make_shared<graph::Dropout>(rate, "encoder.drop"), x, samples);
      for (std::size_t i = 0; i < y.values.size(); ++i) {
        const std::size_t sample = i / 65, e = i % 65;
        const auto counter = (static_cast<std::uint64_t>(samples[sample]) << 32) | (e / 4);
        const std::uint32_t word = graph::philox(key, 3, counter).v[e % 4];
        const bool keeps = static_cast<double>(word) >= static_cast<double>(rate) * 0x1p32;
        CAPTURE(device->kind(), rate, sample, e);
        CHECK(y.values[i] == Approx(keeps ? x.values[i] / (1 - static_cast<double>(rate)) : 0).epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("shards of dropout, by samples and within a sample, equal the whole bit for bit") {
  const std::vector<int> samples{9, 2, 40, 7, 1};
  for (const graph::Shape& shape : {graph::Shape{5, 12}, {5, 3, 10}, {5, 4, 6, 8}, {5, 7, 3, 5}}) {
    const auto x = test::random_tensor(shape, "x");
    const auto op = std::make_shared<graph::Dropout>(0.25f, "drop");
    for (const auto& device : test::every_device()) {
      const auto whole = drop(*device, op, x, samples);
      for (int dimension = 0; dimension < static_cast<int>(shape.size()); ++dimension) {
        for (const int parts : {2, 3}) {
          std::vector<HostTensor> results;
          for (int i = 0; i < parts; ++i) {
            std::vector<graph::Extent> box;
            for (const auto size : shape) box.push_back({0, size});
            const auto at = static_cast<std::size_t>(dimension);
            box[at] = graph::part_of(shape[at], parts, i);
            const auto part = test::part_of(x, dimension, box[at].begin, box[at].end);
            auto of_part = samples;
            if (dimension == 0) of_part = {samples.begin() + box[0].begin, samples.begin() + box[0].end};
            const graph::OpPtr there = op->at(box, shape);
            CHECK((there == nullptr) == (dimension == 0));
            results.push_back(drop(*device, there == nullptr ? op : there, part, of_part));
          }
          CAPTURE(device->kind(), graph::to_string(shape), dimension, parts);
          CHECK(test::joined(results, dimension).values == whole.values);
        }
      }
    }
  }
}

TEST_CASE("every device drops the same elements, the fraction given by the rate") {
  const auto x = ones({40, 1001});
  std::vector<int> samples;
  for (int n = 0; n < 40; ++n) samples.push_back(n * 7);
  for (const float rate : {0.1f, 0.5f}) {
    const auto op = std::make_shared<graph::Dropout>(rate, "drop");
    const auto expected = drop(*test::device("reference"), op, x, samples);
    const double size = static_cast<double>(expected.values.size());
    const double zeros = static_cast<double>(std::count(expected.values.begin(), expected.values.end(), 0.0f));
    CHECK(std::abs(zeros - rate * size) < 4 * std::sqrt(size * rate * (1 - rate)));
    for (const auto& device : test::every_device()) CHECK(drop(*device, op, x, samples).values == expected.values);
  }
}

TEST_CASE("masks depend on step, seed, layer and sample, and on nothing else") {
  const auto x = ones({1, 256});
  const auto device = test::device("cpu");
  const auto mask = [&](const std::string& layer, int sample, std::int64_t step, std::uint64_t seed) {
    graph::Scalars scalars;
    scalars.step = step;
    scalars.seed = seed;
    scalars.learning_rate = static_cast<float>(step);
    return drop(*device, std::make_shared<graph::Dropout>(0.5f, layer), x, {sample}, scalars).values;
  };
  const auto first = mask("a", 1, 2, 3);
  CHECK(mask("a", 1, 2, 3) == first);
  // Two independent masks of 256 agree in 128 places, give or take 8.
  const auto agreeing = [&first](const std::vector<float>& other) {
    return std::inner_product(first.begin(), first.end(), other.begin(), 0, std::plus<>(),
                              [](float a, float b) { return a == b ? 1 : 0; });
  };
  for (const auto& other : {mask("b", 1, 2, 3), mask("a", 2, 2, 3), mask("a", 1, 3, 3), mask("a", 1, 2, 4)}) {
    CHECK(std::abs(agreeing(other) - 128) < 48);
  }
}

TEST_CASE("the derivative of dropout uses the mask and scale of forward") {
  const auto op = std::make_shared<graph::Dropout>(0.3f, "drop");
  const graph::Shape shape{3, 17};
  graph::Graph graph;
  const auto x = graph.add_tensor({"x", {shape, graph::DType::f32}, graph::Role::parameter});
  const auto samples = graph.add_tensor({"samples", {{3}, graph::DType::i32}, graph::Role::sample});
  graph.add("drop", op, {x, samples});
  const auto dy = graph.add_tensor({"dy", {shape, graph::DType::f32}, graph::Role::gradient});
  const std::vector<graph::TensorId> gradients{dy};
  const std::vector<bool> wanted(graph.tensors.size(), true);
  graph::Differentiation d(graph, 0, gradients, wanted);
  op->differentiate(d);
  const auto& backward = graph.nodes.back();
  CHECK(backward.phase == graph::Phase::backward_input);
  CHECK(backward.inputs == std::vector<graph::TensorId>{dy, samples});
  const auto values = test::random_tensor(shape, "dy", 1, 2);
  for (const auto& device : test::every_device()) {
    const auto slope = drop(*device, op, ones(shape), {4, 5, 6});
    const auto dx = drop(*device, backward.op, values, {4, 5, 6});
    for (std::size_t i = 0; i < dx.values.size(); ++i)
      CHECK(dx.values[i] == Approx(slope.values[i] * values.values[i]).epsilon(1e-6));
  }
}

TEST_CASE("parts outside their dimension are rejected by every device") {
  const auto x = test::random_tensor({2, 4}, "x");
  for (const auto& device : test::every_device()) {
    for (const graph::DropoutPart& part : {graph::DropoutPart{1, 3, 6}, graph::DropoutPart{1, -1, 6},
                                           graph::DropoutPart{2, 0, 4}, graph::DropoutPart{0, 0, 2}}) {
      CHECK_THROWS_AS(drop(*device, std::make_shared<graph::Dropout>(0.1f, "drop", part), x, {0, 1}), InputError);
    }
  }
}

TEST_CASE("casts round to the nearest, ties to even, and widen exactly") {
  const HostTensor x = flat_tensor({1.0f + 0x1p-8f, 1.0f + 3 * 0x1p-8f, -3.0f, 0x1p-100f, 65520.0f});
  for (const auto& device : test::every_device()) {
    const auto cast = [&](const HostTensor& from, graph::DType to) {
      return test::run(*device, {std::make_shared<graph::Cast>(to), {from}, {}})[0];
    };
    const auto bf16 = cast(x, graph::DType::bf16), f16 = cast(x, graph::DType::f16);
    CHECK(bf16.values == std::vector<float>{1.0f, 1.0f + 2 * 0x1p-7f, -3.0f, 0x1p-100f, 65536.0f});
    CHECK(f16.values == std::vector<float>{1.0f + 0x1p-8f, 1.0f + 3 * 0x1p-8f, -3.0f, 0.0f, INFINITY});
    CHECK(cast(bf16, graph::DType::f32).values == bf16.values);
    CHECK(cast(f16, graph::DType::f32).values == f16.values);
    CHECK(cast(bf16, graph::DType::f16).values == std::vector<float>{1.0f, 1.0f + 2 * 0x1p-7f, -3.0f, 0.0f, INFINITY});
  }
}
