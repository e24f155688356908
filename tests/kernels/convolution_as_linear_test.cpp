#include "kernels/rewrite/convolution_as_linear.h"

#include "catch.h"
#include "graph/ops/conv2d.h"
#include "harness.h"

using namespace ddlbench;
using graph::Activation;
using test::HostTensor;
using test::random_tensor;

TEST_CASE("a pointwise convolution of channels-last tensors is a linear layer") {
  const auto oracle = test::device("reference");
  const auto x = random_tensor({2, 5, 4, 3}, "x"), dz = random_tensor({2, 7, 4, 3}, "dz");
  const auto w = random_tensor({7, 5, 1, 1}, "w"), b = random_tensor({7}, "b");
  const auto blocks = [](HostTensor tensor) {
    return tensor.type.shape.size() == 4 ? test::in_block(tensor, tensor.type.shape[1]) : tensor;
  };
  const graph::ConvolutionAttributes one_place;
  struct Case {
    graph::OpPtr op;
    std::vector<HostTensor> inputs;
  };
  for (const auto& [op, inputs] : {Case{std::make_shared<graph::Conv2d>(one_place, true, Activation::relu), {x, w, b}},
                                   Case{std::make_shared<graph::Conv2d>(one_place, false, Activation::none), {x, w}},
                                   Case{std::make_shared<graph::Conv2dBackwardInput>(one_place, 4, 3), {dz, w}},
                                   Case{std::make_shared<graph::Conv2dBackwardWeight>(one_place, 1, true), {x, dz}}}) {
    const auto expected = test::run(*oracle, {op, inputs, {}});
    test::Run linear{nullptr, {}, {}};
    kernels::Binding convolution{{op}};
    for (const HostTensor& input : inputs) {
      linear.inputs.push_back(blocks(input));
      convolution.inputs.push_back(linear.inputs.back().type);
    }
    for (const HostTensor& output : expected) convolution.outputs.push_back(blocks(output).type);
    const auto made = kernels::as_linear(convolution);
    REQUIRE(made.has_value());
    linear.op = made->op;
    linear.output_types = made->outputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) linear.inputs[i].type = made->inputs[i];
    const auto actual = test::run(*oracle, linear);
    for (std::size_t o = 0; o < expected.size(); ++o) CHECK(actual[o].values == blocks(expected[o]).values);
  }
}

TEST_CASE("other convolutions are not linear layers") {
  const graph::TensorType last{{2, 4, 5, 5}, graph::DType::f32, 4}, rows{{2, 4, 5, 5}};
  const auto is_linear = [](const graph::ConvolutionAttributes& geometry, const graph::TensorType& x,
                            const graph::TensorType& w, const graph::TensorType& y) {
    return kernels::as_linear({{std::make_shared<graph::Conv2d>(geometry, false, Activation::none)}, {x, w}, {y}})
        .has_value();
  };
  const graph::TensorType w{{4, 4, 1, 1}};
  CHECK(is_linear({1, 0}, last, w, last));
  CHECK_FALSE(is_linear({1, 0}, rows, w, last));
  CHECK_FALSE(is_linear({1, 0}, last, w, rows));
  CHECK_FALSE(is_linear({2, 0}, last, w, {{2, 4, 3, 3}, graph::DType::f32, 4}));
  CHECK_FALSE(is_linear({1, 1}, last, w, {{2, 4, 7, 7}, graph::DType::f32, 4}));
  CHECK_FALSE(is_linear({1, 1}, last, {{4, 4, 3, 3}, graph::DType::f32, 4}, last));
  CHECK_FALSE(is_linear({1, 0, 1, 2}, last, {{4, 2, 1, 1}}, last));
}
