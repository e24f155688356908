#include "graph/ops/batch_norm.h"

#include "base/error.h"
#include "catch.h"
#include "graph/ops/dropout.h"
#include "graph/ops/linear.h"
#include "graph/ops/loss.h"
#include "graph/ops/shape.h"
#include "ops.h"

using namespace ddlbench::graph;
using ddlbench::test::f32;
using ddlbench::test::of_dtype;
using ddlbench::test::placements;
using ddlbench::test::rejection;
using ddlbench::test::shapes;
using ddlbench::test::spec;

namespace {

const TensorType images = f32({6, 4, 5, 5});

/// fc, then batch normalisation with the output of fc as its residual and ReLU, then cross-entropy.
Graph normalised(BatchNormAttributes attributes) {
  Graph graph;
  const TensorId x = graph.add_tensor({"x", f32({6, 3}), Role::input});
  const TensorId labels = graph.add_tensor({"labels", {{6}, DType::i32}, Role::label});
  const TensorId w = graph.add_tensor({"fc.weight", f32({3, 3}), Role::parameter});
  const TensorId z = graph.add("fc", std::make_shared<Linear>(false, Activation::none), {x, w})[0];
  const TensorId y = add_batch_norm(graph, "bn", z, z, attributes, Activation::relu, 0.25F);
  for (const TensorId metric : graph.add("loss", std::make_shared<CrossEntropy>(), {y, labels}))
    graph.tensors[static_cast<std::size_t>(metric)].role = Role::metric;
  return graph;
}

const Node& node(const Graph& graph, const std::string& name) {
  for (const Node& one : graph.nodes)
    if (one.name == name) return one;
  throw ddlbench::ContractError("no node '" + name + "'");
}

}  // namespace

TEST_CASE("moments have four rows for each group of samples") {
  CHECK(shapes(BatchMoments(0), {images}) == std::vector<Shape>{{1, 4, 4}});
  CHECK(shapes(BatchMoments(2), {images}) == std::vector<Shape>{{3, 4, 4}});
  CHECK(rejection(BatchMoments(4), {images}) ==
        "batch_moments: the 6 samples of f32[6x4x5x5] do not divide into groups of 4");
  CHECK(rejection(BatchMoments(0), {f32({6})}) ==
        "batch_moments: f32[6] has no channels: at least two dimensions are needed");
  CHECK(shapes(CombineMoments(), {f32({3, 4, 5})}) == std::vector<Shape>{{1, 4, 5}});
  CHECK_THROWS_WITH(CombineMoments().infer(std::vector<TensorType>{f32({3, 3, 5})}),
                    "combine_moments: the inputs are not moments of groups");
  CHECK_THROWS_WITH(ObserveMoments().infer(std::vector<TensorType>{f32({3, 3, 5})}),
                    "observe_moments: the inputs are not moments of groups");
}

TEST_CASE("a rejected input of batch normalisation is named with both shapes") {
  const BatchNorm op({2, 1e-5F}, true, Activation::none);
  const TensorType moments = f32({3, 4, 4}), features = f32({4});
  CHECK(shapes(op, {images, moments, features, features, images}) == std::vector<Shape>{images.shape});
  CHECK(rejection(op, {images, f32({1, 4, 4}), features, features, images}) ==
        "batch_norm: moments f32[1x4x4] does not match f32[6x4x5x5]; it must be f32[3x4x4]");
  CHECK(rejection(op, {images, moments, f32({5}), features, images}) ==
        "batch_norm: gamma f32[5] does not match f32[6x4x5x5]; it must be f32[4]");
  CHECK(rejection(op, {images, moments, features, f32({5}), images}).find("beta f32[5]") != std::string::npos);
  CHECK(rejection(op, {images, moments, features, features, f32({6, 4, 5, 4})}).find("residual f32[6x4x5x4]") !=
        std::string::npos);
  const TensorType narrow = of_dtype(DType::bf16, images), narrow_features = of_dtype(DType::bf16, features);
  CHECK(op.infer(std::vector<TensorType>{narrow, moments, narrow_features, narrow_features, narrow})[0] == narrow);
  CHECK(rejection(op, {narrow, moments, features, features, narrow}).find("gamma f32[4]") != std::string::npos);
  CHECK(rejection(BatchNormInference(1e-5F, false, Activation::none),
                  {narrow, narrow_features, narrow_features, narrow_features, features})
            .find("mean bf16[4]") != std::string::npos);
}

TEST_CASE("moments of groups are sharded like the groups; those of the whole batch are combined on all ranks") {
  const TensorType moments = f32({1, 4, 4}), sums = f32({1, 2, 4}), features = f32({4});
  CHECK(placements(BatchMoments(0), {images}) == "S(1) -> S(2)\n");
  CHECK(placements(BatchMoments(2), {images}) == "S(0/2) -> S(0)\nS(1) -> S(2)\n");
  CHECK(placements(CombineMoments(), {f32({3, 4, 4})}) == "S(2) -> S(2)\n");
  const std::vector<TensorType> inputs{images, moments, features, features, images};
  CHECK(placements(BatchNorm({0, 0}, false, Activation::relu), inputs) ==
        "S(0) R R R -> S(0)\nS(1) S(2) S(0) S(0) -> S(1)\n");
  CHECK(placements(BatchNorm({2, 0}, true, Activation::none), inputs) ==
        "S(0/2) S(0) R R S(0/2) -> S(0/2)\nS(1) S(2) S(0) S(0) S(1) -> S(1)\n");
  CHECK(placements(BatchNormBackwardMoments({0, 0}, true, Activation::none), {images, images, moments}) ==
        "S(0) S(0) R -> P(sum)\nS(1) S(1) S(2) -> S(2)\n");
  CHECK(placements(BatchNormBackwardMoments({2, 0}, false, Activation::none), {images, images, moments}) ==
        "S(0/2) S(0/2) S(0) -> S(0)\nS(1) S(1) S(2) -> S(2)\n");
  CHECK(placements(BatchNormBackwardMoments({2, 0}, false, Activation::relu),
                   {images, images, moments, features, features}) ==
        "S(0/2) S(0/2) S(0) R R -> S(0)\nS(1) S(1) S(2) S(0) S(0) -> S(2)\n");
  CHECK(placements(BatchNormBackwardMoments({0, 0}, true, Activation::relu), {images, images, moments, images}) ==
        "S(0) S(0) R S(0) -> P(sum) S(0)\nS(1) S(1) S(2) S(1) -> S(2) S(1)\n");
  const std::vector<TensorType> backward{images, images, moments, sums, features};
  CHECK(placements(BatchNormBackwardInput({0, 0}, Activation::none), backward) ==
        "S(0) S(0) R R R -> S(0)\nS(1) S(1) S(2) S(2) S(0) -> S(1)\n");
  CHECK(placements(BatchNormBackwardInput({2, 0}, Activation::relu),
                   {images, images, moments, sums, features, features}) ==
        "S(0/2) S(0/2) S(0) S(0) R R -> S(0/2)\nS(1) S(1) S(2) S(2) S(0) S(0) -> S(1)\n");
  CHECK(placements(BatchNormBackwardWeight(DType::f32), {sums}) ==
        "P(sum) -> P(sum) P(sum)\nS(0) -> P(sum) P(sum)\nS(2) -> S(0) S(0)\n");
  CHECK(placements(ObserveMoments(), {moments}) == "S(0) -> P(sum) P(sum)\nS(2) -> S(0) S(0)\n");
  CHECK(placements(BatchNormInference(0, true, Activation::none),
                   {images, features, features, features, features, images}) ==
        "S(0) R R R R S(0) -> S(0)\nS(1) S(0) S(0) S(0) S(0) S(1) -> S(1)\n");
}

TEST_CASE("batch normalisation adds its parameters, its statistics and its substitute in evaluation") {
  const Graph graph = normalised({2, 1e-3F});
  const Node& norm = node(graph, "bn");
  CHECK(spec(graph, norm.inputs[2]).name == "bn.weight");
  CHECK(spec(graph, norm.inputs[2]).initializer.a == 1);
  CHECK(spec(graph, norm.inputs[3]).name == "bn.bias");
  CHECK(spec(graph, norm.inputs[3]).initializer.a == 0);
  REQUIRE(norm.evaluation.has_value());
  CHECK(norm.evaluation->op->attributes() == "epsilon=0.001 residual=yes activation=relu");
  const auto& inputs = norm.evaluation->inputs;
  CHECK(inputs ==
        std::vector<TensorId>{norm.inputs[0], norm.inputs[2], norm.inputs[3], inputs[3], inputs[4], norm.inputs[4]});
  REQUIRE(graph.observations.size() == 2);
  const Node& observed = node(graph, "bn.observed");
  for (const int which : {0, 1}) {
    const Observation& one = graph.observations[static_cast<std::size_t>(which)];
    CHECK(one.statistic == inputs[static_cast<std::size_t>(3 + which)]);
    CHECK(one.observed == observed.outputs[static_cast<std::size_t>(which)]);
    CHECK(one.momentum == 0.25F);
    const TensorSpec& statistic = spec(graph, one.statistic);
    CHECK(statistic.name == (which == 0 ? "bn.running_mean" : "bn.running_var"));
    CHECK(statistic.role == Role::statistic);
    CHECK(statistic.initializer.a == static_cast<float>(which));
    CHECK(statistic.type == spec(graph, one.observed).type);
  }
  CHECK(graph.parameter_elements() == 9 + 6);
}

TEST_CASE("the derivative of batch normalisation includes the activation and the gradient of the residual") {
  const Graph graph = differentiate(normalised({0, 1e-5F}));
  std::vector<std::string> names;
  for (const Node& one : graph.nodes) names.push_back(one.name);
  CHECK(names == std::vector<std::string>{"fc", "bn.moments", "bn", "bn.observed", "loss", "loss.backward_input",
                                          "bn.backward_moments", "bn.backward_input", "bn.backward_weight",
                                          "bn.gradient_sum", "fc.backward_weight"});
  const TensorId dz = node(graph, "bn.backward_moments").outputs[1];
  CHECK(node(graph, "bn.backward_moments").inputs[3] == node(graph, "bn").outputs[0]);
  CHECK(node(graph, "bn.backward_input").inputs[0] == dz);
  CHECK(node(graph, "bn.backward_input").op->attributes() == "samples=0 epsilon=1e-05 activation=none");
  CHECK(node(graph, "bn.gradient_sum").inputs ==
        std::vector<TensorId>{node(graph, "bn.backward_input").outputs[0], dz});
  CHECK(node(graph, "bn.backward_moments").phase == Phase::backward_input);
  CHECK(node(graph, "bn.backward_weight").phase == Phase::backward_weight);
  for (const TensorId parameter : graph.with_role(Role::parameter)) {
    const TensorId gradient = graph.gradients[static_cast<std::size_t>(parameter)];
    REQUIRE(gradient != absent);
    CHECK(spec(graph, gradient).type == spec(graph, parameter).type);
  }
}

TEST_CASE("without a residual the derivative neither reads y nor writes the gradient before the activation") {
  Graph forward;
  const TensorId x = forward.add_tensor({"x", images, Role::parameter});
  const TensorId y = add_batch_norm(forward, "bn", x, absent, {2, 1e-5F}, Activation::relu);
  const TensorId labels = forward.add_tensor({"labels", {{6}, DType::i32}, Role::label});
  const TensorId rows = forward.add("flatten", std::make_shared<Flatten>(), {y})[0];
  for (const TensorId metric : forward.add("loss", std::make_shared<CrossEntropy>(), {rows, labels}))
    forward.tensors[static_cast<std::size_t>(metric)].role = Role::metric;
  const Graph graph = differentiate(forward);
  const Node &norm = node(graph, "bn"), &sums = node(graph, "bn.backward_moments"),
             &to_x = node(graph, "bn.backward_input");
  const TensorId dy = sums.inputs[0], moments = norm.inputs[1], gamma = norm.inputs[2], beta = norm.inputs[3];
  CHECK(sums.inputs == std::vector<TensorId>{dy, x, moments, gamma, beta});
  CHECK(sums.outputs.size() == 1);
  CHECK(to_x.inputs == std::vector<TensorId>{dy, x, moments, sums.outputs[0], gamma, beta});
}

TEST_CASE("the samples that stay together are the least common multiple of the group sizes") {
  Graph graph = normalised({2, 1e-5F});
  CHECK(samples_per_statistic(graph) == 2);
  CHECK_FALSE(normalises_whole_batch(graph));
  const TensorId x = graph.nodes[0].inputs[0];
  add_batch_norm(graph, "three", x, absent, {3, 1e-5F}, Activation::none);
  CHECK(samples_per_statistic(graph) == 6);
  CHECK_FALSE(normalises_whole_batch(graph));
  add_batch_norm(graph, "whole", x, absent, {0, 1e-5F}, Activation::none);
  CHECK(samples_per_statistic(graph) == 6);
  CHECK(normalises_whole_batch(graph));
  CHECK(samples_per_statistic(normalised({0, 1e-5F})) == 1);
}

TEST_CASE("with_moments_in_parts splits moments of the whole batch but not those of groups", "[N1]") {
  Graph whole = normalised({0, 1e-5F});
  add_batch_norm(whole, "by_two", whole.nodes[0].inputs[0], absent, {2, 1e-5F}, Activation::none);
  CHECK(with_moments_in_parts(whole, 1).nodes.size() == whole.nodes.size());
  const Graph graph = with_moments_in_parts(whole, 3);
  CHECK(graph.nodes.size() == whole.nodes.size() + 1);
  const Node &parts = node(graph, "bn.moments.parts"), &moments = node(graph, "bn.moments"), &norm = node(graph, "bn");
  CHECK(parts.op->attributes() == "samples=2");
  CHECK(parts.inputs == std::vector<TensorId>{norm.inputs[0]});
  CHECK(moments.op->kind() == "combine_moments");
  CHECK(moments.inputs == parts.outputs);
  CHECK(norm.inputs[1] == moments.outputs[0]);
  CHECK(norm.op->attributes() == node(whole, "bn").op->attributes());
  CHECK(spec(graph, moments.outputs[0]).type == f32({1, 4, 3}));
  CHECK(norm.evaluation.has_value());
  CHECK(node(graph, "bn.observed").inputs == moments.outputs);
  CHECK(node(graph, "by_two.moments").op->kind() == "batch_moments");
  CHECK(graph.observations.size() == whole.observations.size());
  CHECK(for_evaluation(graph).graph.nodes.size() == for_evaluation(whole).graph.nodes.size());
  CHECK_THROWS_AS(with_moments_in_parts(whole, 4), ddlbench::ContractError);
}
