#include <fmt/core.h>
#include <numeric>

#include "base/error.h"
#include "graph/ops/batch_norm.h"
#include "graph/ops/batch_norm_shapes.h"
#include "graph/rewrite.h"

namespace ddlbench::graph {
namespace {

TensorId per_channel(Graph& graph, const std::string& name, std::int64_t channels, Role role, DType dtype,
                     float value) {
  return graph.add_tensor({name, {{channels}, dtype}, role, {Initializer::Kind::constant, value}});
}

}  // namespace

std::vector<TensorType> ObserveMoments::infer(Types inputs) const {
  require(inputs.size() == 1, "observe_moments: wrong number of inputs");
  expect_moments("observe_moments", inputs[0]);
  const TensorType of_channels{{inputs[0].shape[2]}, DType::f32};
  return {of_channels, of_channels};
}

std::vector<Signature> ObserveMoments::signatures(Types) const {
  return {{{sharded(0)}, {partial_sum(), partial_sum()}}, {{sharded(2)}, {sharded(0), sharded(0)}}};
}

void ObserveMoments::differentiate(Differentiation&) const {}

std::string StatisticUpdate::attributes() const {
  return fmt::format("momentum={:g} scale={:g}", momentum, scale);
}

std::vector<TensorType> StatisticUpdate::infer(Types inputs) const {
  require(inputs.size() == 2 && inputs[0] == inputs[1] && inputs[0].dtype == DType::f32,
          "statistic_update: the statistic and the observation differ in type, or are not f32");
  return {inputs[0]};
}

TensorId add_batch_norm(Graph& graph, const std::string& name, TensorId x, TensorId residual,
                        BatchNormAttributes attributes, Activation activation, float momentum) {
  const TensorId moments =
      graph.add(name + ".moments", std::make_shared<BatchMoments>(attributes.samples), {x}).front();
  const TensorType type = graph.tensors[static_cast<std::size_t>(x)].type;
  const auto of_channels = [&](const char* suffix, Role role, DType dtype, float value) {
    return per_channel(graph, name + suffix, type.shape[1], role, dtype, value);
  };
  const TensorId gamma = of_channels(".weight", Role::parameter, type.dtype, 1);
  const TensorId beta = of_channels(".bias", Role::parameter, type.dtype, 0);
  const TensorId mean = of_channels(".running_mean", Role::statistic, DType::f32, 0);
  const TensorId variance = of_channels(".running_var", Role::statistic, DType::f32, 1);

  std::vector<TensorId> inputs{x, moments, gamma, beta};
  std::vector<TensorId> in_evaluation{x, gamma, beta, mean, variance};
  const bool adds = residual != absent;
  if (adds) {
    inputs.push_back(residual);
    in_evaluation.push_back(residual);
  }
  const TensorId y = graph.add(name, std::make_shared<BatchNorm>(attributes, adds, activation), inputs).front();
  graph.nodes.back().evaluation =
      Substitute{std::make_shared<BatchNormInference>(attributes.epsilon, adds, activation), in_evaluation};

  const std::vector<TensorId> observed = graph.add(name + ".observed", std::make_shared<ObserveMoments>(), {moments});
  graph.observations.push_back({mean, observed[0], momentum});
  graph.observations.push_back({variance, observed[1], momentum});
  return y;
}

std::int64_t samples_per_statistic(const Graph& graph) {
  std::int64_t multiple = 1;
  for (const Node& node : graph.nodes) {
    const auto* moments = dynamic_cast<const BatchMoments*>(node.op.get());
    if (moments != nullptr && moments->samples > 0) multiple = std::lcm(multiple, moments->samples);
  }
  return multiple;
}

bool normalises_whole_batch(const Graph& graph) {
  for (const Node& node : graph.nodes) {
    const auto* moments = dynamic_cast<const BatchMoments*>(node.op.get());
    if (moments != nullptr && moments->samples == 0) return true;
  }
  return false;
}

Graph with_moments_in_parts(const Graph& forward, int parts) {
  require(parts >= 1, "with_moments_in_parts: parts must be positive");
  if (parts == 1) return forward;
  return rebuild(
      forward, [](TensorSpec&) {},
      [&forward, parts](Graph& to, NodeId id, std::vector<TensorId> inputs) {
        const Node& node = forward.nodes[static_cast<std::size_t>(id)];
        const auto* moments = dynamic_cast<const BatchMoments*>(node.op.get());
        if (moments == nullptr || moments->samples != 0)
          return to.add(node.name, node.op, std::move(inputs), node.phase, node.origin);
        const std::int64_t batch = to.tensors[static_cast<std::size_t>(inputs[0])].type.shape[0];
        require(batch % parts == 0, "with_moments_in_parts: the parts of the batch differ in size");
        const auto of_parts =
            to.add(node.name + ".parts", std::make_shared<BatchMoments>(batch / parts), std::move(inputs), node.phase);
        return to.add(node.name, std::make_shared<CombineMoments>(), of_parts, node.phase);
      });
}

}  // namespace ddlbench::graph
