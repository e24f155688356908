#include "graph/ops/conv2d.h"

#include "base/error.h"
#include "catch.h"

using namespace ddlbench::graph;

namespace {

Shape output_of(ConvolutionAttributes geometry, Shape x, Shape w) {
  const std::vector<TensorType> inputs{{std::move(x)}, {std::move(w)}};
  return Conv2d(geometry, false, Activation::none).infer(inputs)[0].shape;
}

}  // namespace

TEST_CASE("stride, padding and dilation determine the output shape of a convolution") {
  CHECK(output_of({1, 0}, {2, 3, 7, 9}, {4, 3, 3, 3}) == Shape{2, 4, 5, 7});
  CHECK(output_of({2, 3}, {1, 3, 224, 224}, {64, 3, 7, 7}) == Shape{1, 64, 112, 112});
  CHECK(output_of({1, 2, 2}, {1, 1, 7, 7}, {1, 1, 3, 3}) == Shape{1, 1, 7, 7});
  CHECK(output_of({1, 0, 3}, {1, 1, 7, 8}, {1, 1, 3, 3}) == Shape{1, 1, 1, 2});
  CHECK_THROWS_WITH(output_of({1, 0, 3}, {1, 1, 6, 8}, {1, 1, 3, 3}),
                    Catch::Matchers::Contains("a 3x3 kernel with dilation 3 does not fit in an image of 6x8"));
}

TEST_CASE("the weight of a grouped convolution has the channels of one group") {
  CHECK(output_of({1, 1, 1, 2}, {2, 6, 5, 5}, {8, 3, 3, 3}) == Shape{2, 8, 5, 5});
  CHECK(output_of({1, 1, 1, 6}, {2, 6, 5, 5}, {6, 1, 3, 3}) == Shape{2, 6, 5, 5});
  CHECK_THROWS_WITH(output_of({1, 1, 1, 2}, {2, 6, 5, 5}, {8, 6, 3, 3}), Catch::Matchers::Contains("in 2 groups"));
  CHECK_THROWS_AS(output_of({1, 1, 1, 2}, {2, 6, 5, 5}, {7, 3, 3, 3}), ddlbench::InputError);
}

TEST_CASE("the gradients of a grouped convolution have the shapes of its input and its weight") {
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

TEST_CASE("a grouped convolution is sharded by the batch or by whole groups, without communication", "[N2]") {
  const ConvolutionAttributes geometry{1, 1, 1, 3};
  const TensorType x{{2, 6, 5, 4}}, w{{9, 2, 3, 3}}, b{{9}}, dz{{2, 9, 5, 4}};
  const Placement in = sharded(1, 2), out = sharded(1, 3), weight = sharded(0, 3);
  for (const bool bias : {false, true}) {
    CHECK(Conv2d({1, 1}, bias, Activation::none).signatures({}).size() == (bias ? 2 : 3));
    const std::vector<TensorType> inputs = bias ? std::vector{x, w, b} : std::vector{x, w};
    const auto forward = Conv2d(geometry, bias, Activation::relu).signatures(inputs);
    REQUIRE(forward.size() == 2);
    CHECK(forward[0].inputs[0] == sharded(0));
    CHECK(forward[0].inputs[1] == replicated());
    CHECK(forward[0].outputs[0] == sharded(0));
    CHECK(forward[1].inputs == (bias ? std::vector{in, weight, weight} : std::vector{in, weight}));
    CHECK(forward[1].outputs[0] == out);
    const auto backward = Conv2dBackwardWeight(geometry, 3, bias).signatures(std::vector<TensorType>{x, dz});
    REQUIRE(backward.size() == 2);
    CHECK(backward[0].inputs[1] == sharded(0));
    CHECK(backward[0].outputs[0] == partial_sum());
    CHECK(backward[1].inputs == std::vector{in, out});
    CHECK(backward[1].outputs == std::vector<Placement>(bias ? 2 : 1, weight));
  }
  const auto backward = Conv2dBackwardInput(geometry, 5, 4).signatures(std::vector<TensorType>{dz, w});
  REQUIRE(backward.size() == 2);
  CHECK(backward[0].inputs[0] == sharded(0));
  CHECK(backward[1].inputs == std::vector{out, weight});
  CHECK(backward[1].outputs[0] == in);
}

TEST_CASE("a part of the groups is a convolution with fewer groups", "[N2]") {
  const ConvolutionAttributes geometry{1, 1, 1, 3};
  const Shape x{2, 6, 5, 4}, w{9, 2, 3, 3}, y{2, 9, 5, 4};
  const auto groups = [](const OpPtr& op) {
    if (const auto* forward = dynamic_cast<const Conv2d*>(op.get())) return forward->geometry.groups;
    if (const auto* input = dynamic_cast<const Conv2dBackwardInput*>(op.get())) return input->geometry.groups;
    return dynamic_cast<const Conv2dBackwardWeight&>(*op).geometry.groups;
  };
  const Conv2d forward(geometry, true, Activation::relu);
  const Conv2dBackwardInput input(geometry, 5, 4);
  const Conv2dBackwardWeight weight(geometry, 3, true);
  CHECK(groups(forward.at(std::vector<Extent>{{0, 2}, {0, 6}, {0, 5}, {0, 4}}, y)) == 2);
  CHECK(groups(input.at(std::vector<Extent>{{0, 2}, {4, 6}, {0, 5}, {0, 4}}, x)) == 1);
  CHECK(groups(weight.at(std::vector<Extent>{{3, 9}, {0, 2}, {0, 3}, {0, 3}}, w)) == 2);
  CHECK(forward.at(std::vector<Extent>{{0, 1}, {0, 9}, {0, 5}, {0, 4}}, y) == nullptr);
  CHECK(Conv2d({1, 1}, true, Activation::relu).at(std::vector<Extent>{{0, 2}, {0, 4}, {0, 5}, {0, 4}}, y) == nullptr);
  CHECK_THROWS_AS(forward.at(std::vector<Extent>{{0, 2}, {0, 4}, {0, 5}, {0, 4}}, y), ddlbench::ContractError);
}

TEST_CASE("the attributes of a convolution include dilation and groups only if they are not 1") {
  CHECK(Conv2dBackwardInput({1, 2}, 5, 5).attributes() == "stride=1 padding=2");
  CHECK(Conv2dBackwardInput({1, 2, 3, 4}, 5, 5).attributes() == "stride=1 padding=2 dilation=3 groups=4");
}
