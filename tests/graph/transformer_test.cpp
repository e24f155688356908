#include "catch.h"
#include "graph/ops/attention.h"
#include "graph/ops/embedding.h"
#include "graph/ops/layer_norm.h"
#include "graph/ops/linear.h"
#include "graph/ops/loss.h"
#include "ops.h"

using namespace ddlbench::graph;

using ddlbench::test::f32;
using ddlbench::test::placements;
using ddlbench::test::rejection;
using ddlbench::test::shapes;

namespace {

TensorType i32(Shape shape) {
  return {std::move(shape), DType::i32};
}

}  // namespace

TEST_CASE("a linear layer supports any leading dimensions and has its features last") {
  const std::vector<TensorType> inputs{f32({2, 5, 8}), f32({6, 8}), f32({6})};
  const Linear op(true, Activation::none);
  CHECK(shapes(op, inputs) == std::vector<Shape>{{2, 5, 6}});
  CHECK(op.flops(inputs, op.infer(inputs)) == 2.0 * 2 * 5 * 8 * 6);
  CHECK(placements(op, inputs) == "S(0) R R -> S(0)\nR S(0) S(0) -> S(2)\n");
  CHECK(placements(Linear(false, Activation::none), {inputs[0], inputs[1]}) ==
        "S(0) R -> S(0)\nR S(0) -> S(2)\nS(2) S(1) -> P(sum)\n");
  CHECK(placements(LinearBackwardWeight(true), {inputs[0], f32({2, 5, 6})}) ==
        "S(0) S(0) -> P(sum) P(sum)\nR S(2) -> S(0) S(0)\nS(2) R -> S(1) R\n");
}

TEST_CASE("embedding and add_positions infer their shapes and reject inputs that do not fit") {
  CHECK(shapes(Embedding(), {i32({2, 5}), f32({7, 3})}) == std::vector<Shape>{{2, 5, 3}});
  CHECK(shapes(EmbeddingBackwardWeight(7), {i32({2, 5}), f32({2, 5, 3})}) == std::vector<Shape>{{7, 3}});
  CHECK(shapes(AddPositionsBackwardWeight(), {f32({2, 5, 3})}) == std::vector<Shape>{{5, 3}});
  CHECK(rejection(Embedding(), {f32({2, 5}), f32({7, 3})}).find("f32[2x5]") != std::string::npos);
  CHECK(rejection(AddPositions(), {f32({2, 5, 3}), f32({4, 3})}) ==
        "positions 4x3 do not fit 2x5x3, which is batch x positions x features");
}

TEST_CASE("layer normalisation returns two statistics for each row") {
  const std::vector<TensorType> inputs{f32({2, 5, 8}), f32({8}), f32({8})};
  CHECK(shapes(LayerNorm(1e-5f), inputs) == std::vector<Shape>{{2, 5, 8}, {2, 5}, {2, 5}});
  CHECK(placements(LayerNorm(1e-5f), inputs) == "S(0) R R -> S(0) S(0) S(0)\n");
  CHECK(rejection(LayerNorm(1e-5f), {inputs[0], f32({7}), f32({8})}).find("gamma 7") != std::string::npos);
}

TEST_CASE("attention is split by samples or by whole heads") {
  const std::vector<TensorType> inputs{f32({2, 5, 3 * 3 * 4})};  // 3 heads of 4 features
  const Attention op(4);
  CHECK(shapes(op, inputs) == std::vector<Shape>{{2, 5, 12}, {2, 3, 5}});
  CHECK(placements(op, inputs) == "S(0) -> S(0) S(0)\nS(2/12) -> S(2/4) S(1)\n");
  // Two products over the 15 pairs of a position and a position that it attends to.
  CHECK(op.flops(inputs, op.infer(inputs)) == 2.0 * 2 * (2 * 3 * 15 * 4));
  CHECK(rejection(op, {f32({2, 5, 16})}) == "attention: 2x5x16 is not batch x positions x whole heads of 3 x 4");
}

TEST_CASE("cross-entropy needs a label for each row of logits") {
  CHECK(shapes(CrossEntropy(), {f32({2, 5, 7}), i32({2, 5})}) == std::vector<Shape>{{1}, {1}, {1}});
  CHECK(rejection(CrossEntropy(), {f32({2, 5, 7}), i32({2})}) ==
        "cross_entropy: labels i32[2] do not fit logits f32[2x5x7]");
}
