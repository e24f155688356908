#include "strategies/prepared.h"

#include <fmt/core.h>
#include <algorithm>
#include <numeric>

#include "base/join.h"
#include "graph/ops/batch_norm.h"
#include "strategies/passes/model_copies.h"
#include "strategies/passes/op_times.h"
#include "strategies/passes/plan_stages.h"
#include "strategies/passes/shard.h"
#include "strategies/passes/stage.h"
#include "strategies/passes/without_flush.h"
#include "strategies/shares.h"

namespace ddlbench::strategies {
namespace {

/// Returns the samples that each rank of `axis` has of a micro-batch, as in AxisRule::shares.
std::vector<std::int64_t> shares_along(const std::string& axis, const MeshSpec& mesh,
                                       const std::vector<std::int64_t>& shares) {
  if (shares.empty() || axis == axis_name(Use::batch)) return shares;
  std::vector<std::int64_t> sums;
  for (auto first = shares.begin(); first != shares.end(); first += mesh.batch)
    sums.push_back(std::accumulate(first, first + mesh.batch, std::int64_t{0}));
  return sums;
}

/// Returns the stage of every node of all copies of the model.
std::vector<int> stages_of_copies(const std::vector<int>& stage_of_node, const Pipeline& pipeline) {
  std::vector<int> stages;
  for (int copy = 0; copy < pipeline.model_copies; ++copy)
    for (const int stage : stage_of_node) stages.push_back(copy * pipeline.stages_of_copy() + stage);
  return stages;
}

/// Returns, by stage, the bytes that a rank keeps for each byte of its parameters. Optimizer states are f32, and so are
/// the masters of other types.
std::vector<double> parameter_copies(const Task& task, const Partition& state, int data_ranks,
                                     const Pipeline& pipeline) {
  const auto share = [data_ranks](bool sharded) { return sharded ? 1.0 / data_ranks : 1.0; };
  const graph::TensorId parameter = task.model.with_role(graph::Role::parameter).front();
  const graph::DType dtype = task.model.tensors[static_cast<std::size_t>(parameter)].type.dtype;
  const bool has_mean_change = !pipeline.flushes && pipeline.weights == WeightVersions::corrected;
  const std::size_t states =
      task.optimizer.states.size() + (dtype == graph::DType::f32 ? 0 : 1) + (has_mean_change ? 1 : 0);
  const double of_states =
      static_cast<double>(states * graph::size_of(graph::DType::f32)) / static_cast<double>(graph::size_of(dtype));
  std::vector<double> copies;
  for (int stage = 0; stage < pipeline.stages_of_copy(); ++stage) {
    const int rank = pipeline.rank_of(stage), estimates = estimated_weights(pipeline, rank).updates > 0 ? 1 : 0;
    copies.push_back((weight_versions(pipeline, rank) + estimates) * share(state.parameters()) +
                     (state.keeps_gradients ? share(state.gradients()) : 0) + of_states * share(state.states()));
  }
  return copies;
}

/// Returns what does not depend on the stages.
Division division_of(const StrategySpec& spec) {
  Division division;
  division.balance = spec.pipeline.balance;
  division.recomputation = spec.memory;
  division.link_bytes_per_second = spec.sync.link_bytes_per_second;
  division.tensor_ranks = spec.mesh.features;
  division.data_ranks = spec.mesh.data_ranks();
  division.microbatches = spec.batch.microbatches;
  return division;
}

Division division_of(const Task& task, const StrategySpec& spec, const Pipeline& pipeline) {
  if (spec.mesh.stages == 1) return {.stages = pipeline.stages_of_copy()};
  Division division = division_of(spec);
  division.stages = pipeline.stages_of_copy();
  division.ranks_per_stage = pipeline.ranks_per_stage;
  if (spec.memory.kind != Recomputation::Kind::none || division.balance == Balance::memory)
    division.uses = stage_uses(pipeline, spec.pipeline.schedule);
  if (spec.memory.kind == Recomputation::Kind::selective)
    for (StageUse& use : division.uses) use.repeated = 1;
  for (int stage = 0; stage < division.stages; ++stage)
    division.follows_own_rank.push_back(stage > 0 && pipeline.rank_of(stage - 1) == pipeline.rank_of(stage));
  division.parameter_copies = parameter_copies(task, spec.state, spec.mesh.batch, pipeline);
  return division;
}

/// Throws Unsupported where recomputation is limited to stages in one of which it has no effect.
void require_recomputed(const Prepared& prepared, const Division& division) {
  const Recomputation& recomputation = division.recomputation;
  if (recomputation.stages.empty()) return;
  const StageMap& map = prepared.train_stages;
  const std::vector<bool> dropped = dropped_steps(prepared.train, recomputation, map);
  for (const std::int64_t stage : recomputation.stages) {
    bool drops = false;
    for (std::size_t step = 0; step < dropped.size(); ++step)
      drops |= dropped[step] && map.stage_of(static_cast<int>(step)) % division.stages == stage;
    if (!drops)
      throw Unsupported(fmt::format(
          "recompute has no effect in stage {}, which has none of its ops; leave it out of recompute_stages", stage));
    if (division.uses[static_cast<std::size_t>(stage)].repeated == 0)
      throw Unsupported(fmt::format(
          "recompute has no effect in stage {}, whose backward passes all follow their own forward pass; leave it out "
          "of recompute_stages",
          stage));
  }
}

/// Throws Unsupported where stages share a weight.
void require_ties_within_stages(const Untied& untied, const Pipeline& pipeline) {
  for (const auto& [parameter, tie] : untied.ties)
    if (pipeline.stage_ranks_of(tie.holders.front()).first != pipeline.stage_ranks_of(tie.holders.back()).first)
      throw Unsupported(fmt::format(
          "without flush, stages of the pipeline are in different steps and cannot share '{}', which several of them "
          "use; use a model without shared weights, or a schedule with flush",
          untied.graph.tensors[static_cast<std::size_t>(parameter)].name));
}

}  // namespace

Prepared prepare(const Task& task, StrategySpec& spec, const program::Mesh& mesh,
                 const std::vector<std::int64_t>& shares, std::vector<std::string>& choices) {
  graph::Graph forward =
      graph::in_channel_blocks(graph::with_batch(task.model, task.global_batch / spec.batch.microbatches),
                               task.channel_block, spec.mesh.features);
  const std::int64_t parts = shares.empty() ? spec.mesh.data_ranks() : common_parts(shares);
  forward = graph::with_moments_in_parts(forward, static_cast<int>(parts));
  std::vector<AxisRule> rules;
  for (const program::Axis& axis : mesh.axes())
    if (splits_batch(axis.name))
      rules.push_back({axis.name,
                       axis.size,
                       true,
                       {},
                       graph::samples_per_statistic(forward),
                       shares_along(axis.name, spec.mesh, shares)});
  if (spec.mesh.features > 1) {
    Sharding sharding = shard_layers(forward, "tensor", spec.mesh.features);
    forward = std::move(sharding.graph);
    rules.push_back(std::move(sharding.rule));
    choices.insert(choices.end(), sharding.choices.begin(), sharding.choices.end());
  }
  if (!shares.empty()) choices.push_back(fmt::format("samples of each micro-batch: {}", joined(shares)));
  const graph::Graph tied = graph::differentiate(forward);
  if (spec.pipeline.plans_stages && spec.mesh.stages > 1)
    spec.pipeline.ranks_per_stage = plan_stages(tied, division_of(spec), spec.mesh.stages, task.costs);
  Pipeline pipeline = spec.timing();
  const Division division = division_of(task, spec, pipeline);
  std::vector<int> stage_of_node = assign_stages(tied, division, task.costs);
  if (spec.mesh.stages > 1) choices.push_back("stages: " + describe_stages(tied, stage_of_node));
  if (division.balance == Balance::time_and_communication && !has_times(tied, task.costs))
    choices.push_back("stages balanced by time and communication" + remark_on_times(false));
  // For other schedules, noise of the times would only change the order of messages, and so the plan.
  if (spec.pipeline.schedule.uses_costs()) pipeline.costs = stage_costs(tied, stage_of_node, division, task.costs);

  if (!pipeline.ranks_per_stage.empty())
    choices.push_back(fmt::format("ranks of each stage: {}", joined(pipeline.ranks_per_stage)));
  else if (pipeline.model_copies > 1)
    choices.push_back(fmt::format("copies of the model, in opposite directions: {}", pipeline.model_copies));
  forward = with_model_copies(forward, pipeline.model_copies);
  stage_of_node = stages_of_copies(stage_of_node, pipeline);
  Untied untied = untie(forward, stage_of_node, pipeline, rules);
  if (!pipeline.flushes) require_ties_within_stages(untied, pipeline);
  Prepared prepared;
  prepared.train = lower(graph::differentiate(untied.graph), rules, stage_of_node);
  graph::Evaluation evaluation = graph::for_evaluation(untied.graph);
  std::vector<int> evaluation_stages;
  for (const graph::NodeId node : evaluation.origin)
    evaluation_stages.push_back(stage_of_node[static_cast<std::size_t>(node)]);
  prepared.evaluate = lower(std::move(evaluation.graph), std::move(rules), evaluation_stages);
  prepared.train_stages = {stages_of_steps(prepared.train, stage_of_node), pipeline};
  prepared.evaluate_stages = {stages_of_steps(prepared.evaluate, evaluation_stages), pipeline};
  join_copies(prepared.train, prepared.train_stages, untied.twins);
  join_copies(prepared.evaluate, prepared.evaluate_stages, untied.twins);
  prepared.ties = std::move(untied.ties);
  require_recomputed(prepared, division);
  return prepared;
}

std::map<std::string, std::int64_t> weight_delays(const Prepared& prepared) {
  std::map<std::string, std::int64_t> delays;
  const ShardedGraph& sharded = prepared.train;
  const Pipeline& pipeline = prepared.train_stages.pipeline;
  if (pipeline.flushes) return delays;
  for (const graph::TensorId parameter : sharded.graph.with_role(graph::Role::parameter)) {
    const Value& value = sharded.values[static_cast<std::size_t>(sharded.source_of(parameter))];
    if (value.consumers.empty()) continue;  // in the memory of another copy's
    const int rank = prepared.train_stages.rank_of(value.consumers.front());
    delays[sharded.graph.tensors[static_cast<std::size_t>(parameter)].name] = weight_delay(pipeline, rank);
  }
  return delays;
}

}  // namespace ddlbench::strategies
