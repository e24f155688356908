#include "graph/ops/dropout.h"

#include "base/error.h"
#include "catch.h"
#include "graph/ops/cast.h"
#include "ops.h"

using namespace ddlbench::graph;
using ddlbench::test::f32;
using ddlbench::test::of_dtype;
using ddlbench::test::placements;
using ddlbench::test::rejection;
using ddlbench::test::shapes;

namespace {

const std::vector<TensorType> text{f32({2, 3, 8}), {{2}, DType::i32}};

}  // namespace

TEST_CASE("dropout keeps the shape, and rejects invalid rates and sample indices") {
  CHECK(shapes(Dropout(0.1F, "drop"), text) == std::vector<Shape>{{2, 3, 8}});
  CHECK(rejection(Dropout(1, "drop"), text) == "dropout: the rate must be at least 0 and below 1, but is 1");
  CHECK(rejection(Dropout(-0.5F, "drop"), text).find("-0.5") != std::string::npos);
  CHECK(rejection(Dropout(0.1F, "drop"), {text[0], {{3}, DType::i32}}) ==
        "dropout: i32[3] must have one i32 sample index for each sample of f32[2x3x8]");
  CHECK(rejection(Dropout(0.1F, "drop"), {text[0], f32({2})}).find("f32[2]") != std::string::npos);
}

TEST_CASE("dropout is split by samples with their indices, or within a sample") {
  CHECK(placements(Dropout(0.1F, "drop"), text) == "S(0) S(0) -> S(0)\nS(1) R -> S(1)\nS(2) R -> S(2)\n");
}

TEST_CASE("a shard of dropout has its position in the sample as an attribute") {
  const Dropout whole(0.1F, "drop");
  const Shape shape{4, 3, 8};
  const auto at = [&](std::vector<Extent> box) { return whole.at(box, shape); };
  CHECK(at({{0, 4}, {0, 3}, {0, 8}}) == nullptr);
  CHECK(at({{2, 4}, {0, 3}, {0, 8}}) == nullptr);  // a part of the batch: the sample indices determine the mask
  const auto part = std::dynamic_pointer_cast<const Dropout>(at({{0, 4}, {0, 3}, {2, 5}}));
  REQUIRE(part != nullptr);
  CHECK(part->part == DropoutPart{2, 2, 8});
  CHECK(part->rate == whole.rate);
  CHECK(part->attributes() == "rate=0.1 layer=drop dimension=2 begin=2 of=8");
  CHECK(std::dynamic_pointer_cast<const Dropout>(at({{1, 2}, {1, 3}, {0, 8}}))->part == DropoutPart{1, 1, 3});
  CHECK_THROWS_AS(at({{0, 4}, {0, 2}, {0, 4}}), ddlbench::ContractError);
}

TEST_CASE("the dropout nodes of a graph share its sample indices and are the identity in evaluation") {
  Graph graph;
  const TensorId x = graph.add_tensor({"x", f32({2, 8}), Role::input});
  CHECK(add_dropout(graph, "none", x, 0) == x);
  CHECK(graph.nodes.empty());
  const TensorId once = add_dropout(graph, "once", x, 0.5F);
  add_dropout(graph, "twice", once, 0.5F);
  const auto samples = graph.with_role(Role::sample);
  REQUIRE(samples.size() == 1);
  const TensorSpec& spec = graph.tensors[static_cast<std::size_t>(samples[0])];
  CHECK(spec.name == "samples");
  CHECK(spec.type == TensorType{{2}, DType::i32});
  REQUIRE(graph.nodes.size() == 2);
  for (const Node& node : graph.nodes) {
    CHECK(node.inputs[1] == samples[0]);
    CHECK(node.op->attributes() == "rate=0.5 layer=" + node.name);
    REQUIRE(node.evaluation.has_value());
    CHECK(node.evaluation->op->is_view());
    CHECK(node.evaluation->inputs == std::vector<TensorId>{node.inputs[0]});
  }
}

TEST_CASE("a cast changes only the data type, and its derivative casts back") {
  const TensorType wide = f32({2, 3}), narrow = of_dtype(DType::bf16, wide);
  const std::vector<TensorType> inputs{wide};
  CHECK(Cast(DType::bf16).infer(inputs) == std::vector<TensorType>{narrow});
  CHECK(placements(Cast(DType::bf16), inputs) == "S(0) -> S(0)\nS(1) -> S(1)\n");
  CHECK(rejection(Cast(DType::i32), inputs) == "cast: f32[2x3] cannot become i32: both must be floating-point types");
  CHECK(rejection(Cast(DType::f32), {{{2, 3}, DType::u8}}).find("u8[2x3]") != std::string::npos);

  Graph graph;
  const TensorId x = graph.add_tensor({"x", wide, Role::parameter});
  graph.add("cast", std::make_shared<Cast>(DType::bf16), {x});
  const TensorId gradient = graph.add_tensor({"gradient", narrow, Role::gradient});
  const std::vector<TensorId> gradients{gradient};
  const std::vector<bool> requires_grad(graph.tensors.size(), true);
  Differentiation d(graph, 0, gradients, requires_grad);
  graph.nodes[0].op->differentiate(d);
  CHECK(graph.tensors[static_cast<std::size_t>(d.input_gradients()[0])].type == wide);
}
