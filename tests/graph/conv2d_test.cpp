#include "graph/ops/conv2d.h"

#include "catch.h"
#include "graph/error.h"

using namespace ddlbench::graph;

namespace {

Shape output_of(ConvolutionAttributes geometry, Shape x, Shape w) {
  const std::vector<TensorType> inputs{{std::move(x)}, {std::move(w)}};
  return Conv2d(geometry, false, Activation::none).infer(inputs)[0].shape;
}

}  // namespace

TEST_CASE("a convolution's output follows from stride, padding and dilation") {
  CHECK(output_of({1, 0}, {2, 3, 7, 9}, {4, 3, 3, 3}) == Shape{2, 4, 5, 7});
  CHECK(output_of({2, 3}, {1, 3, 224, 224}, {64, 3, 7, 7}) == Shape{1, 64, 112, 112});
  CHECK(output_of({1, 2, 2}, {1, 1, 7, 7}, {1, 1, 3, 3}) == Shape{1, 1, 7, 7});
  CHECK(output_of({1, 0, 3}, {1, 1, 7, 8}, {1, 1, 3, 3}) == Shape{1, 1, 1, 2});
  CHECK_THROWS_WITH(output_of({1, 0, 3}, {1, 1, 6, 8}, {1, 1, 3, 3}),
                    Catch::Matchers::Contains("a 3x3 kernel of dilation 3 does not fit in an image of 6x8"));
}

TEST_CASE("a grouped convolution's weight has the channels of one group") {
  CHECK(output_of({1, 1, 1, 2}, {2, 6, 5, 5}, {8, 3, 3, 3}) == Shape{2, 8, 5, 5});
  CHECK(output_of({1, 1, 1, 6}, {2, 6, 5, 5}, {6, 1, 3, 3}) == Shape{2, 6, 5, 5});
  CHECK_THROWS_WITH(output_of({1, 1, 1, 2}, {2, 6, 5, 5}, {8, 6, 3, 3}), Catch::Matchers::Contains("in 2 groups"));
  CHECK_THROWS_AS(output_of({1, 1, 1, 2}, {2, 6, 5, 5}, {7, 3, 3, 3}), ddlbench::InputError);
}

TEST_CASE("the gradients of a grouped convolution are of its input's and its weight's shape") {
  const ConvolutionAttributes geometry{1, 1, 1, 3};
  const TensorType x{{2, 6, 5, 4}}, w{{9, 2, 3, 3}}, dz{{2, 9, 5, 4}};
  const Conv2dBackwardInput input(geometry, 5, 4);
  const Conv2dBackwardWeight weight(geometry, 3, true);
  const std::vector<TensorType> of_input{dz, w}, of_weight{x, dz};
  CHECK(input.infer(of_input)[0] == x);
  CHECK(weight.infer(of_weight)[0] == w);
  CHECK(weight.infer(of_weight)[1] == TensorType{{9}});
  const double flops = 2.0 * (2 * 9 * 5 * 4) * (2 * 3 * 3);
  CHECK(Conv2d(geometry, true, Activation::none).flops(std::vector<TensorType>{x, w}, std::vector<TensorType>{dz}) ==
        flops);
  CHECK(input.flops(of_input, std::vector<TensorType>{x}) == flops);
  CHECK(weight.flops(of_weight, std::vector<TensorType>{w}) == flops);
}

TEST_CASE("of a convolution in groups the batch alone is sharded") {
  for (const bool bias : {false, true}) {
    const auto one = Conv2d({1, 1}, bias, Activation::none).signatures({});
    CHECK(one.size() == (bias ? 2 : 3));
    const auto signatures = Conv2d({1, 1, 1, 2}, bias, Activation::none).signatures({});
    REQUIRE(signatures.size() == 1);
    CHECK(signatures[0].inputs[0] == sharded(0));
    CHECK(signatures[0].inputs[1] == replicated());
    CHECK(signatures[0].outputs[0] == sharded(0));
    const auto backward = Conv2dBackwardWeight({1, 1, 1, 2}, 3, bias).signatures({});
    REQUIRE(backward.size() == 1);
    CHECK(backward[0].inputs[1] == sharded(0));
    CHECK(backward[0].outputs[0] == partial_sum());
  }
  const auto backward = Conv2dBackwardInput({1, 1, 1, 2}, 5, 5).signatures({});
  REQUIRE(backward.size() == 1);
  CHECK(backward[0].inputs[0] == sharded(0));
}

TEST_CASE("a convolution names dilation and groups where it has them") {
  CHECK(Conv2dBackwardInput({1, 2}, 5, 5).attributes() == "stride=1 padding=2");
  CHECK(Conv2dBackwardInput({1, 2, 3, 4}, 5, 5).attributes() == "stride=1 padding=2 dilation=3 groups=4");
}
