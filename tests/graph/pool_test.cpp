#include "graph/ops/pool.h"

#include "base/error.h"
#include "catch.h"
#include "graph/graph.h"

using namespace ddlbench::graph;

namespace {

Shape pooled_shape(const Op& pool, Shape x) {
  return pool.infer(std::vector<TensorType>{{std::move(x)}})[0].shape;
}

}  // namespace

TEST_CASE("kernel, stride and padding determine the output shape of pooling") {
  CHECK(pooled_shape(MaxPool2d({2, 2}), {3, 4, 7, 8}) == Shape{3, 4, 3, 4});
  CHECK(pooled_shape(MaxPool2d({3, 2, 1}), {1, 64, 112, 112}) == Shape{1, 64, 56, 56});
  CHECK(pooled_shape(AveragePool2d({3, 1, 1}), {1, 2, 5, 1}) == Shape{1, 2, 5, 1});
  CHECK(pooled_shape(AveragePool2d({2, 3}), {1, 2, 5, 9}) == Shape{1, 2, 2, 3});
  CHECK(pooled_shape(AdaptiveAveragePool2d(7, 6), {2, 3, 5, 13}) == Shape{2, 3, 7, 6});
}

TEST_CASE("a window that does not fit is rejected with the shape") {
  CHECK_THROWS_WITH(pooled_shape(MaxPool2d({3, 2}), {1, 2, 2, 9}),
                    Catch::Matchers::Contains("a window of 3 does not fit in 1x2x2x9"));
  CHECK_THROWS_WITH(pooled_shape(AveragePool2d({4, 2, 1}), {1, 2, 1, 9}), Catch::Matchers::Contains("with padding 1"));
  CHECK_THROWS_AS(pooled_shape(AdaptiveAveragePool2d(1, 1), {1, 2, 0, 9}), ddlbench::InputError);
  CHECK_THROWS_AS(pooled_shape(AdaptiveAveragePool2d(1, 1), {1, 2, 9}), ddlbench::InputError);
  CHECK_THROWS_AS(pooled_shape(AveragePool2d({2, 2, 2}), {1, 2, 9, 9}), ddlbench::InputError);
}

TEST_CASE("the FLOPs of adaptive pooling are one addition for each element of each window") {
  // Rows, 5 to 3: [0, 2), [1, 4), [3, 5). Columns, 4 to 2: two halves.
  const std::vector<TensorType> x{{{2, 3, 5, 4}}}, y{{{2, 3, 3, 2}}};
  CHECK(AdaptiveAveragePool2d(3, 2).flops(x, y) == 2 * 3 * 7 * 4);
  CHECK(AdaptiveAveragePool2dBackward(5, 4).flops(y, x) == 2 * 3 * 7 * 4);
}

TEST_CASE("the derivative of pooling has the shape of the input and the same sharding") {
  const TensorType x{{4, 6, 9, 8}};
  for (const OpPtr& op : {OpPtr(std::make_shared<MaxPool2d>(PoolAttributes{3, 2, 1})),
                          OpPtr(std::make_shared<AveragePool2d>(PoolAttributes{3, 2, 1})),
                          OpPtr(std::make_shared<AdaptiveAveragePool2d>(2, 5))}) {
    CAPTURE(op->kind());
    Graph graph;
    const auto images = graph.add_tensor({"x", x, Role::parameter});
    const auto outputs = graph.add("pool", op, {images});
    const auto seed = graph.add_tensor({"dy", graph.tensors[1].type, Role::gradient});
    std::vector<TensorId> gradients(outputs.size(), absent);
    gradients[0] = seed;
    const std::vector<bool> requires_grad(graph.tensors.size(), true);
    Differentiation d(graph, 0, gradients, requires_grad);
    op->differentiate(d);
    const Node& backward = graph.nodes.back();
    CHECK(backward.phase == Phase::backward_input);
    CHECK(backward.op->kind() == std::string(op->kind()) + "_backward");
    CHECK(graph.tensors[static_cast<std::size_t>(d.input_gradients()[0])].type == x);
    for (const Node* node : std::initializer_list<const Node*>{&graph.nodes.front(), &backward}) {
      const auto signatures = node->op->signatures({});
      for (int dimension : {0, 1}) {
        const auto& signature = signatures.at(static_cast<std::size_t>(dimension));
        for (const auto& placement : signature.inputs) CHECK(placement == sharded(dimension));
        for (const auto& placement : signature.outputs) CHECK(placement == sharded(dimension));
      }
    }
  }
}
