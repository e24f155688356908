#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "../cases.h"
#include "../narrow.h"
#include "../norm_cases.h"
#include "base/error.h"
#include "catch.h"
#include "graph/ops/activation.h"
#include "graph/ops/embedding.h"
#include "graph/ops/gelu.h"
#include "graph/ops/layer_norm.h"
#include "graph/ops/loss.h"
#include "graph/ops/pool.h"
#include "graph/ops/shape.h"
#include "graph/ops/weighted_sum.h"
#include "own_device.h"

using namespace ddlbench;

namespace {

std::vector<test::OpCase> own_of(std::vector<test::OpCase> cases) {
  const auto is_other = [](const auto& one) { return !test::OwnDevice::has(one.run.op->kind()); };
  cases.erase(std::remove_if(cases.begin(), cases.end(), is_other), cases.end());
  return cases;
}

/// Cases beyond those of all devices: sizes at the boundaries of warps, blocks and vectors, and sums that are split
/// into runs.
std::vector<test::OpCase> edge_cases() {
  std::vector<test::OpCase> cases;
  const auto add = [&cases](graph::OpPtr op, std::vector<test::HostTensor> inputs, double terms) {
    test::Run run{std::move(op), std::move(inputs), {}};
    run.scalars.inverse_count = 0.125f;
    cases.push_back({std::string(run.op->kind()), std::move(run), terms});
  };
  using test::random_tensor;
  for (const std::int64_t size : {31, 32, 33, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025, 1028}) {
    const auto x = random_tensor({1, size}, "x"), y = random_tensor({1, size}, "y"), b = random_tensor({size}, "b");
    add(std::make_shared<graph::Add>(), {x, y}, 2);
    add(std::make_shared<graph::WeightedSum>(std::vector{0.75, 0.25}), {x, y}, 3);
    add(std::make_shared<graph::KeepWhere>(), {x, y}, 2);
    add(std::make_shared<graph::Gelu>(graph::GeluForm::tanh), {x}, 8);
    add(std::make_shared<graph::BiasActivation>(graph::Activation::relu, graph::Features::last), {x, b}, 2);
    add(std::make_shared<graph::BiasActivation>(graph::Activation::relu, graph::Features::last, false), {x}, 1);
    add(std::make_shared<graph::CrossEntropy>(), {x, test::labels({static_cast<int>(size) - 1})}, 1.0 * size);
    add(std::make_shared<graph::CrossEntropyBackward>(), {x, test::labels({0})}, 1.0 * size);
    const auto column = random_tensor({size, 1}, "x");
    add(std::make_shared<graph::BiasBackward>(graph::Features::last), {column}, 1.0 * size);
  }
  // Rows that a warp keeps, a block keeps, or none.
  for (const std::int64_t features : {31, 255, 257, 1024, 1025, 1032, 2047, 2049, 8192, 8193, 8200}) {
    const auto x = random_tensor({3, features}, "x"), dy = random_tensor({3, features}, "dy");
    const auto gamma = random_tensor({features}, "gamma"), beta = random_tensor({features}, "beta");
    const auto mean = random_tensor({3}, "mean", -0.1f, 0.1f), rstd = random_tensor({3}, "rstd", 0.5f, 2);
    const auto terms = static_cast<double>(features);
    add(std::make_shared<graph::LayerNorm>(1e-5f), {x, gamma, beta}, terms);
    add(std::make_shared<graph::LayerNormBackwardInput>(), {dy, x, gamma, mean, rstd}, terms);
  }
  for (const graph::Shape& shape : {graph::Shape{1000, 3}, {700, 64}, {5000, 2}, {40, 3, 10, 10}, {9, 2, 41, 41}}) {
    const auto x = random_tensor(shape, "x");
    const auto terms = static_cast<double>(graph::elements(shape) / shape[1]);
    add(std::make_shared<graph::BiasBackward>(graph::Features::second), {x}, terms);
  }
  const auto long_rows = random_tensor({3, 5001}, "x", -5, 5), wide_rows = random_tensor({2, 4096}, "x", -5, 5);
  add(std::make_shared<graph::CrossEntropy>(), {long_rows, test::labels({5000, -1, 0})}, 5001);
  add(std::make_shared<graph::CrossEntropyBackward>(), {long_rows, test::labels({5000, -1, 0})}, 5001);
  add(std::make_shared<graph::CrossEntropyBackward>(), {wide_rows, test::labels({7, 4095})}, 4096);
  for (const std::int64_t side : {4, 6, 8}) {  // 2 × 2 windows in rows of whole quads, or not
    const auto pool = std::make_shared<graph::MaxPool2d>(graph::PoolAttributes{2, 2});
    const auto x = random_tensor({2, 3, side + 1, side}, "x");
    add(pool, {x}, 0);
  }
  return cases;
}

/// Compares every case with the reference, as on a GPU with this number of multiprocessors, with operands `shift` bytes
/// after an aligned address.
void compare_own(const std::vector<test::OpCase>& cases, int multiprocessors, std::size_t shift) {
  const auto oracle = test::device("reference");
  test::OwnDevice device(multiprocessors);
  test::on_each(cases, [&](test::OpCase one) {
    CAPTURE(multiprocessors, shift);
    const auto expected = test::run(*oracle, one.run);
    one.run.shift = shift;
    const auto actual = test::run(device, one.run);
    REQUIRE(actual.size() == expected.size());
    for (std::size_t o = 0; o < actual.size(); ++o) {
      CHECK(test::largest_error(actual[o], expected[o], 1.0) <= test::tolerance(one.terms));
    }
  });
  for (const auto& launch : device.launches) {
    CHECK(launch.geometry.blocks >= 1);
    CHECK(launch.geometry.blocks <= multiprocessors * kernels::blocks_per_multiprocessor);
  }
}

/// The fused linear cross-entropy keeps its logits, of magnitudes up to about 8, in 16 bits: its tolerance is larger.
void compare_narrow(std::vector<test::OpCase> cases, graph::DType dtype, int multiprocessors, std::size_t shift) {
  test::OwnDevice device(multiprocessors);
  for (auto& one : cases) {
    one.run.shift = shift;
    check_narrow(device, one, dtype, one.run.op->kind().starts_with("linear_cross_entropy") ? 16 : 1);
  }
}

bool all_nan(const std::vector<float>& values, std::size_t begin, std::size_t end) {
  return std::all_of(values.begin() + static_cast<std::ptrdiff_t>(begin),
                     values.begin() + static_cast<std::ptrdiff_t>(end), [](float value) { return std::isnan(value); });
}

}  // namespace

TEST_CASE("GPU kernels, run on the host, equal the reference") {
  compare_own(own_of(test::op_cases()), 132, 0);
}

TEST_CASE("GPU kernels equal the reference if each thread processes many items") {
  compare_own(own_of(test::op_cases()), 1, 0);
}

TEST_CASE("GPU kernels equal the reference if operands are not aligned to vectors") {
  compare_own(own_of(test::op_cases()), 2, sizeof(float));
}

TEST_CASE("GPU kernels equal the reference at the boundaries of warps, blocks, vectors and runs") {
  compare_own(edge_cases(), 132, 0);
  compare_own(edge_cases(), 1, sizeof(float));
}

TEST_CASE("every op has either a kernel of our own or one of a library") {
  const std::set<std::string> of_libraries{"conv2d",    "conv2d_backward_input", "conv2d_backward_weight",
                                           "linear",    "linear_backward_input", "linear_backward_weight",
                                           "attention", "attention_backward"};
#define DDLBENCH_OP(name) CHECK(test::OwnDevice::has(#name) != of_libraries.contains(#name));
#include "kernels/ops.def"
#undef DDLBENCH_OP
}

TEST_CASE("GPU kernels compute in bf16 and f16 what they compute in f32") {
  for (const auto dtype : {graph::DType::bf16, graph::DType::f16}) {
    compare_narrow(own_of(test::narrow_op_cases(dtype)), dtype, 132, 0);
    compare_narrow(own_of(test::narrow_op_cases(dtype)), dtype, 1, sizeof(float));
  }
}

TEST_CASE("GPU kernels compute in bf16 and f16 at the boundaries of warps, blocks, vectors and runs") {
  for (const auto dtype : {graph::DType::bf16, graph::DType::f16}) {
    compare_narrow(edge_cases(), dtype, 132, 0);
    compare_narrow(edge_cases(), dtype, 1, sizeof(float));
  }
}

TEST_CASE("GPU kernels reject operands of two types") {
  const auto x = test::random_tensor({2, 3}, "x");
  auto narrow = x;
  narrow.type.dtype = graph::DType::bf16;
  test::OwnDevice device(1);
  test::run(device, {std::make_shared<graph::Add>(), {narrow, narrow}, {}});
  CHECK_THROWS_AS(test::run(device, {std::make_shared<graph::Add>(), {narrow, x}, {}}), InputError);
}

TEST_CASE("a label that is not a class makes loss and gradient NaN on a GPU") {
  test::OwnDevice device(2);
  const auto logits = test::random_tensor({4, 10}, "logits");
  for (const int label : {10, -2, 1 << 30, -(1 << 30)}) {
    const auto labels = test::labels({3, label, -1, 0});
    const auto loss = test::run(device, {std::make_shared<graph::CrossEntropy>(), {logits, labels}, {}});
    CHECK(std::isnan(loss[0].values[0]));
    const auto gradient = test::run(device, {std::make_shared<graph::CrossEntropyBackward>(), {logits, labels}, {}})[0];
    CHECK(all_nan(gradient.values, 10, 20));
    CHECK(std::none_of(gradient.values.begin(), gradient.values.begin() + 10, [](float v) { return std::isnan(v); }));
    CHECK(std::all_of(gradient.values.begin() + 20, gradient.values.begin() + 30, [](float v) { return v == 0; }));
  }
}

TEST_CASE("logits of minus infinity have probability zero and do not cause NaN") {
  test::OwnDevice device(1);
  const auto oracle = test::device("reference");
  auto logits = test::random_tensor({2, 5000}, "logits");
  std::fill(logits.values.begin() + 40, logits.values.begin() + 4000, -INFINITY);
  for (const auto& op : std::vector<graph::OpPtr>{std::make_shared<graph::CrossEntropy>(),
                                                  std::make_shared<graph::CrossEntropyBackward>()}) {
    const test::Run run{op, {logits, test::labels({1, 2})}, {}};
    CHECK(test::largest_error(test::run(device, run)[0], test::run(*oracle, run)[0], 1) < 1e-4);
  }
  logits.values[5001] = NAN;
  const auto loss = test::run(device, {std::make_shared<graph::CrossEntropy>(), {logits, test::labels({1, 2})}, {}});
  CHECK(std::isnan(loss[0].values[0]));
}

TEST_CASE("a token outside the vocabulary makes its row NaN and adds to no gradient on a GPU") {
  test::OwnDevice device(2);
  const auto table = test::random_tensor({5, 8}, "table"), dy = test::random_tensor({1, 4, 8}, "dy");
  const auto y =
      test::run(device, {std::make_shared<graph::Embedding>(), {test::labels({1, 5, -1, 4}, {1, 4}), table}, {}})[0];
  CHECK(all_nan(y.values, 8, 24));
  CHECK(std::equal(y.values.begin(), y.values.begin() + 8, table.values.begin() + 8));
  CHECK(std::equal(y.values.begin() + 24, y.values.end(), table.values.begin() + 32));
  const auto gradient = test::run(
      device, {std::make_shared<graph::EmbeddingBackwardWeight>(5), {test::labels({1, 5, -1, 4}, {1, 4}), dy}, {}})[0];
  auto expected = test::zeros(table.type);
  std::copy(dy.values.begin(), dy.values.begin() + 8, expected.values.begin() + 8);
  std::copy(dy.values.begin() + 24, dy.values.end(), expected.values.begin() + 32);
  CHECK(gradient.values == expected.values);
}

TEST_CASE("an op on empty tensors launches nothing") {
  test::OwnDevice device(4);
  test::run(device, {std::make_shared<graph::Add>(), {test::zeros({{0, 3}}), test::zeros({{0, 3}})}, {}});
  CHECK(device.launches.empty());
  test::run(device, {std::make_shared<graph::Add>(), {test::zeros({{1, 3}}), test::zeros({{1, 3}})}, {}});
  CHECK(device.launches.size() == 2);  // the harness launches twice
}
