#include <set>

#include "built.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::workloads;
using graph::DType;
using graph::Role;

namespace {

/// Returns whether an output, other than a metric, is f32 in every precision: statistics of normalisations, and the
/// softmax sums of attention.
bool stays_f32(std::string_view kind, std::size_t output) {
  static const std::set<std::string_view> all{"batch_moments", "observe_moments"};
  return all.count(kind) > 0 || (kind == "batch_norm_backward_moments" && output == 0) ||
         (kind == "layer_norm" && output > 0) || (kind == "attention" && output == 1);
}

const graph::TensorSpec& spec(const graph::Graph& graph, graph::TensorId id) {
  return graph.tensors[static_cast<std::size_t>(id)];
}

void check_sources(const graph::Graph& graph, DType dtype) {
  for (const graph::TensorSpec& tensor : graph.tensors) {
    CAPTURE(tensor.name);
    if (tensor.role == Role::parameter || tensor.role == Role::gradient) CHECK(tensor.type.dtype == dtype);
    if (tensor.role == Role::statistic || tensor.role == Role::metric) CHECK(tensor.type.dtype == DType::f32);
    if (tensor.role == Role::label || tensor.role == Role::sample) CHECK(tensor.type.dtype == DType::i32);
    if (tensor.role == Role::input) CHECK((tensor.type.dtype == DType::f32 || tensor.type.dtype == DType::i32));
  }
}

void check_nodes(const graph::Graph& graph, DType dtype) {
  for (const graph::Node& node : graph.nodes) {
    CAPTURE(node.name);
    for (std::size_t o = 0; o < node.outputs.size(); ++o) {
      const graph::TensorSpec& tensor = spec(graph, node.outputs[o]);
      const DType made = tensor.type.dtype;
      if (made == DType::u8 || tensor.role == Role::metric) continue;  // u8: the position of a maximum in its window
      CHECK(made == (stays_f32(node.op->kind(), o) ? DType::f32 : dtype));
    }
    if (!node.evaluation) continue;
    std::vector<graph::TensorType> types;
    for (const graph::TensorId input : node.evaluation->inputs) types.push_back(spec(graph, input).type);
    CHECK(node.evaluation->op->infer(types)[0] == spec(graph, node.outputs[0]).type);
  }
}

/// Checks that `after` has all tensors and nodes of `before` in order, and otherwise only casts of inputs.
void check_same(const graph::Graph& before, const graph::Graph& after) {
  std::vector<std::string> casts;
  for (const graph::TensorId input : before.with_role(Role::input)) {
    if (spec(before, input).type.dtype == DType::f32) casts.push_back(spec(before, input).name + ".cast");
  }
  REQUIRE(after.nodes.size() == before.nodes.size() + casts.size());
  for (std::size_t i = 0; i < after.nodes.size(); ++i) {
    if (i < casts.size()) {
      CHECK(after.nodes[i].name == casts[i]);
      CHECK(after.nodes[i].op->kind() == "cast");
      continue;
    }
    const graph::Node &a = after.nodes[i], &b = before.nodes[i - casts.size()];
    CHECK(a.name == b.name);
    CHECK(a.op == b.op);
    CHECK(a.evaluation.has_value() == b.evaluation.has_value());
    REQUIRE(a.outputs.size() == b.outputs.size());
    for (std::size_t o = 0; o < a.outputs.size(); ++o) {
      const graph::TensorSpec &x = spec(after, a.outputs[o]), &y = spec(before, b.outputs[o]);
      CHECK(x.name == y.name);
      CHECK(x.role == y.role);
      CHECK(x.type.shape == y.type.shape);
    }
  }
  for (const Role role : {Role::parameter, Role::statistic, Role::input, Role::label, Role::sample, Role::metric}) {
    const auto x = after.with_role(role), y = before.with_role(role);
    REQUIRE(x.size() == y.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      CHECK(spec(after, x[i]).name == spec(before, y[i]).name);
      CHECK(spec(after, x[i]).initializer.kind == spec(before, y[i]).initializer.kind);
      CHECK(spec(after, x[i]).initializer.a == spec(before, y[i]).initializer.a);
      CHECK(spec(after, x[i]).initializer.b == spec(before, y[i]).initializer.b);
    }
  }
  REQUIRE(after.observations.size() == before.observations.size());
  for (std::size_t i = 0; i < after.observations.size(); ++i) {
    const graph::Observation &x = after.observations[i], &y = before.observations[i];
    CHECK(spec(after, x.statistic).name == spec(before, y.statistic).name);
    CHECK(spec(after, x.observed).name == spec(before, y.observed).name);
    CHECK(spec(after, x.statistic).type == spec(after, x.observed).type);
    CHECK(x.momentum == y.momentum);
  }
}

}  // namespace

TEST_CASE("every model has a 16-bit form that keeps sums and statistics in f32") {
  for (const ModelKind& kind : model_kinds()) {
    if (kind.definition != nullptr) continue;  // defined by a file
    const graph::Graph before = build(kind.name, 2);
    for (const DType dtype : {DType::bf16, DType::f16}) {
      CAPTURE(kind.name, graph::name(dtype));
      const graph::Graph after = graph::in_precision(before, dtype);
      check_same(before, after);
      check_sources(after, dtype);
      check_nodes(after, dtype);
      const graph::Graph training = graph::differentiate(after);
      check_sources(training, dtype);
      check_nodes(training, dtype);
      CHECK(training.with_role(Role::gradient).size() == before.with_role(Role::parameter).size());
      const graph::Graph evaluated = graph::for_evaluation(after).graph;
      check_sources(evaluated, dtype);
      const graph::Graph larger = graph::with_batch(after, 4);
      CHECK(larger.batch() == 4);
      check_nodes(larger, dtype);
    }
  }
}

TEST_CASE("in_precision leaves a model in fp32 unchanged") {
  const graph::Graph before = build("lenet", 2);
  const graph::Graph after = graph::in_precision(before, DType::f32);
  CHECK(after.nodes.size() == before.nodes.size());
  CHECK(after.tensors.size() == before.tensors.size());
  CHECK_THROWS_AS(graph::in_precision(before, DType::i32), ContractError);
  CHECK_THROWS_AS(graph::in_precision(graph::differentiate(before), DType::bf16), ContractError);
}
