#include "kernels/device.h"

#include <cmath>

#include "base/error.h"
#include "catch.h"
#include "contains.h"
#include "graph/ops/conv2d.h"
#include "graph/ops/embedding.h"
#include "graph/ops/linear.h"
#include "graph/ops/loss.h"
#include "graph/ops/optimizer.h"
#include "graph/ops/pool.h"
#include "graph/ops/shape.h"
#include "harness.h"

using namespace ddlbench;
using test::contains;

namespace {

template <class Action>
std::string input_error_of(Action&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

struct Unknown final : graph::Op {
  std::string_view kind() const override { return "no_such_op"; }
  std::vector<graph::TensorType> infer(graph::Types) const override { return {}; }
  double flops(graph::Types, graph::Types) const override { return 0; }
};

kernels::Binding binding_of(graph::OpPtr op, std::vector<graph::TensorType> inputs,
                            std::vector<graph::TensorType> outputs) {
  return {{std::move(op)}, std::move(inputs), std::move(outputs)};
}

}  // namespace

TEST_CASE("a device is made by its kind, and an error for an unknown kind lists the kinds") {
  for (const auto& kind : test::kinds()) {
    CHECK_FALSE(kind.help.empty());
    const auto device = test::device(kind.name);
    CHECK(device->kind() == kind.name);
    CHECK_FALSE(device->description().empty());
  }
  const std::string error = input_error_of([] { test::device("tpu"); });
  CHECK(contains(error, "'tpu'"));
  CHECK(contains(error, "reference, cpu, cuda"));
}

TEST_CASE("device memory is aligned, copied and cleared") {
  for (const auto& kind : test::kinds()) {
    CAPTURE(kind.name);
    const auto device = test::device(kind.name);
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{100}, std::size_t{3} << 20}) {
      void* memory = device->allocate(bytes);
      REQUIRE(memory != nullptr);
      CHECK(reinterpret_cast<std::uintptr_t>(memory) % 64 == 0);
      std::vector<unsigned char> sent(bytes, 7), received(bytes, 1);
      device->copy_in(memory, sent.data(), bytes);
      device->copy_out(received.data(), memory, bytes);
      CHECK(received == sent);
      device->fill_zero(memory, bytes);
      device->copy_out(received.data(), memory, bytes);
      CHECK(received == std::vector<unsigned char>(bytes, 0));
      device->release(memory);
    }
  }
}

TEST_CASE("an unsupported op or type is rejected by name") {
  for (const auto& kind : test::kinds()) {
    CAPTURE(kind.name);
    const auto device = test::device(kind.name);
    const auto bind_error = [&](const kernels::Binding& binding) {
      return input_error_of([&] { device->bind(binding); });
    };
    const std::string unknown = bind_error(binding_of(std::make_shared<Unknown>(), {}, {}));
    CHECK(contains(unknown, "no_such_op"));
    CHECK(contains(unknown, "'" + kind.name + "'"));

    const auto linear = std::make_shared<graph::Linear>(false, graph::Activation::none);
    const std::string mismatch = bind_error(binding_of(linear, {{{2, 3}}, {{5, 4}}}, {{{2, 5}}}));
    CHECK(contains(mismatch, "f32[5x4]"));
    const auto linear_of = [&](graph::DType dtype) {
      return bind_error(binding_of(linear, {{{2, 3}, dtype}, {{5, 3}, dtype}}, {{{2, 5}, dtype}}));
    };
    CHECK_FALSE(linear_of(graph::DType::i32).empty());
    for (const auto dtype : {graph::DType::f32, graph::DType::bf16, graph::DType::f16}) CHECK(linear_of(dtype).empty());
    CHECK(contains(bind_error(binding_of(linear, {{{2, 3}}}, {{{2, 5}}})), "2 inputs"));

    const auto conv = std::make_shared<graph::Conv2d>(graph::ConvolutionAttributes{}, false, graph::Activation::none);
    CHECK_FALSE(bind_error(binding_of(conv, {{{1, 1, 4, 4}}, {{1, 1, 3, 3}}}, {{{1, 1, 3, 2}}})).empty());
    const auto slice = std::make_shared<graph::Slice>(1, 2, 2);
    CHECK_FALSE(bind_error(binding_of(slice, {{{1, 4}}}, {{{1, 2}}})).empty());
    auto pool = binding_of(std::make_shared<graph::MaxPool2d>(graph::PoolAttributes{2, 2}), {{{1, 1, 4, 4}}},
                           {{{1, 1, 2, 2}}, {{1, 1, 2, 2}, graph::DType::u8}});
    CHECK(bind_error(pool).empty());
    pool.accumulate = true;
    CHECK(contains(bind_error(pool), "accumulate"));
  }
}

TEST_CASE("parts are split in whole units") {
  // 3 units of 2 columns in 2 parts: two, then one.
  const graph::TensorType type{graph::Shape{2, 6}};
  auto whole = test::zeros(type), blocks = test::zeros(type);
  whole.values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  blocks.values = {0, 1, 2, 3, 6, 7, 8, 9, 4, 5, 10, 11};
  for (const auto& kind : test::kinds()) {
    CAPTURE(kind.name);
    const auto device = test::device(kind.name);
    const auto run = [&](graph::OpPtr op, const test::HostTensor& x) {
      test::Run what;
      what.op = std::move(op);
      what.inputs = {x};
      return test::run(*device, what).at(0).values;
    };
    CHECK(run(std::make_shared<graph::SplitParts>(1, 2, 2), whole) == blocks.values);
    CHECK(run(std::make_shared<graph::JoinParts>(1, 2, 2), blocks) == whole.values);
    CHECK(run(std::make_shared<graph::Slice>(1, 2, 1, 2), whole) == std::vector<float>{4, 5, 10, 11});
    const auto broken = binding_of(std::make_shared<graph::SplitParts>(1, 2, 4), {type}, {type});
    CHECK(contains(input_error_of([&] { device->bind(broken); }), "whole units"));
  }
}

TEST_CASE("a label that is not a class is an error that names it, or makes the loss NaN where kernels cannot throw") {
  for (const auto& kind : test::kinds()) {
    CAPTURE(kind.name);
    const auto device = test::device(kind.name);
    for (const int label : {3, -2, 1 << 30}) {
      const auto loss = [&] {
        return test::run(*device, {std::make_shared<graph::CrossEntropy>(),
                                   {test::random_tensor({2, 3}, "logits"), test::labels({0, label})},
                                   {}})[0]
            .values[0];
      };
      if (device->asynchronous()) {
        CHECK(std::isnan(loss()));
      } else {
        CHECK(contains(input_error_of(loss), "label " + std::to_string(label) + " at index 1"));
      }
    }
  }
}

TEST_CASE("a token outside the vocabulary is an error that names it, or makes its row NaN where kernels cannot throw") {
  for (const auto& kind : test::kinds()) {
    CAPTURE(kind.name);
    const auto device = test::device(kind.name);
    for (const int token : {3, -1, 1 << 30}) {
      const auto rows = [&] {
        return test::run(*device, {std::make_shared<graph::Embedding>(),
                                   {test::labels({0, token}, {1, 2}), test::random_tensor({3, 2}, "table")},
                                   {}})[0]
            .values;
      };
      if (device->asynchronous()) {
        const auto values = rows();
        CHECK_FALSE(std::isnan(values[0] + values[1]));
        CHECK((std::isnan(values[2]) && std::isnan(values[3])));
      } else {
        CHECK(contains(input_error_of(rows), "token " + std::to_string(token) + " at index 1"));
      }
    }
  }
}
