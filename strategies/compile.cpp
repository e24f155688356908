#include "strategies/compile.h"

#include <map>

#include "graph/ops/batch_norm.h"
#include "strategies/passes/emit.h"
#include "strategies/passes/lower.h"
#include "strategies/passes/shard.h"
#include "strategies/passes/stage.h"
#include "strategies/passes/untie.h"

namespace ddlbench::strategies {

namespace {

/// Every part of the batch holds whole groups of samples that are normalised together.
void require_batch(const Task& task, const Recipe& recipe) {
  const std::int64_t group = graph::samples_per_statistic(task.model);
  if (recipe.microbatches > 1 && graph::normalises_whole_batch(task.model))
    throw Unsupported("batch norm takes its statistics over the whole batch, which " +
                      std::to_string(recipe.microbatches) +
                      " micro-batches cannot see at once; use one micro-batch, or a model with samples_per_statistic");
  const std::int64_t shares = group * recipe.data * recipe.microbatches;
  if (task.global_batch % shares == 0) return;
  if (group > 1)
    throw Unsupported("a global batch of " + std::to_string(task.global_batch) + " does not divide into " +
                      std::to_string(recipe.data) + " data-parallel parts x " + std::to_string(recipe.microbatches) +
                      " micro-batches of whole groups of " + std::to_string(group) +
                      " samples that share a statistic; use a multiple of " + std::to_string(shares));
  throw Unsupported("a global batch of " + std::to_string(task.global_batch) + " does not divide into " +
                    std::to_string(recipe.data) + " data-parallel parts x " + std::to_string(recipe.microbatches) +
                    " micro-batches; use a multiple of " + std::to_string(shares));
}

/// Gradients that pass are of one micro-batch, and used before the others of the step are known.
void require_passing_gradients(const Task& task, const Recipe& recipe) {
  if (recipe.partition.keeps_gradients) return;
  const std::string early = "update_in_backward uses each gradient as soon as it is whole, ";
  if (recipe.microbatches > 1) throw Unsupported(early + "which it is after the last micro-batch alone; use one");
  if (recipe.partition.stage > 0 || recipe.pipeline > 1)
    throw Unsupported(early + "which there is for neither sharded state nor stages; use single or ddp");
  if (!recipe.overlap) throw Unsupported(early + "but overlap false sums it up at the end; leave overlap true");
  const graph::Guard& guard = task.optimizer.guard;
  if (guard.max_norm > 0) throw Unsupported(early + "before the norm of all is known; leave out clip_norm");
  if (guard.skip_overflow)
    throw Unsupported(early + "before it is known whether one overflows; use another precision than fp16");
}

program::Mesh mesh_of(const Recipe& recipe) {
  std::vector<program::Axis> axes;
  for (const program::Axis& axis : {program::Axis{"pipeline", recipe.pipeline}, program::Axis{"data", recipe.data},
                                    program::Axis{"tensor", recipe.tensor}})
    if (axis.size != 1) axes.push_back(axis);
  return program::Mesh(std::move(axes));
}

/// The coordinates of a rank on all axes but the data axis, on which replicas run one program.
program::Coordinates without_data(const program::Mesh& mesh, int rank) {
  program::Coordinates coordinates = mesh.coordinates_of(rank);
  if (const auto data = mesh.find("data")) coordinates[static_cast<std::size_t>(*data)] = 0;
  return coordinates;
}

int coordinate(const program::Mesh& mesh, const program::Coordinates& coordinates, std::string_view axis) {
  const auto found = mesh.find(axis);
  return found ? coordinates[static_cast<std::size_t>(*found)] : 0;
}

std::string role_name(const program::Mesh& mesh, const program::Coordinates& coordinates, graph::Extent shards) {
  std::string name;
  const auto add = [&name](const std::string& part) { name += (name.empty() ? "" : " ") + part; };
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    if (mesh.axes()[i].name != "data") add(mesh.axes()[i].name + "=" + std::to_string(coordinates[i]));
  if (shards.size() < mesh.size_of("data"))
    add("data=" + std::to_string(shards.begin) + (shards.size() == 1 ? "" : ".." + std::to_string(shards.end - 1)));
  return name.empty() ? "every rank" : name;
}

/// The model as all roles see it: sharded, staged and timed.
struct Prepared {
  ShardedGraph train, evaluate;
  StageMap train_stages, evaluate_stages;
  std::map<graph::TensorId, Tie> ties;
};

graph::Halves halves_of(const Recipe& recipe) {
  for (int rank = 0; rank < recipe.pipeline; ++rank)
    for (const Work& work : recipe.schedule({recipe.pipeline, recipe.chunks, recipe.microbatches}, rank))
      if (work.kind == Work::Kind::backward_weight) return graph::Halves::apart;
  return recipe.halves;
}

Prepared prepare(const Task& task, const Recipe& recipe, std::vector<std::string>& choices) {
  graph::Graph forward = graph::in_channel_blocks(
      graph::with_batch(task.model, task.global_batch / recipe.microbatches), task.channel_block, recipe.tensor);
  forward = graph::with_moments_in_parts(forward, recipe.data);
  std::vector<AxisRule> rules;
  if (recipe.data > 1) rules.push_back({"data", recipe.data, true, {}, graph::samples_per_statistic(forward)});
  if (recipe.tensor > 1) {
    Sharding sharding = shard_layers(forward, "tensor", recipe.tensor);
    forward = std::move(sharding.graph);
    rules.push_back(std::move(sharding.rule));
    choices.insert(choices.end(), sharding.choices.begin(), sharding.choices.end());
  }
  const graph::Halves halves = halves_of(recipe);
  const graph::Graph tied = graph::differentiate(forward, halves);
  const std::vector<int> stage_of_node = assign_stages(tied, recipe.pipeline * recipe.chunks, task.costs);
  if (recipe.pipeline > 1) choices.push_back("stages: " + describe_stages(tied, stage_of_node));

  std::vector<int> rank_of_node;
  for (const int stage : stage_of_node) rank_of_node.push_back(stage % recipe.pipeline);
  Untied untied = untie(forward, rank_of_node, rules);
  Prepared prepared;
  prepared.train = lower(graph::differentiate(untied.graph, halves), rules);
  graph::Evaluation evaluation = graph::for_evaluation(untied.graph);
  std::vector<int> evaluation_stages;
  for (const graph::NodeId node : evaluation.origin)
    evaluation_stages.push_back(stage_of_node[static_cast<std::size_t>(node)]);
  prepared.evaluate = lower(std::move(evaluation.graph), std::move(rules));
  prepared.train_stages = {stages_of_steps(prepared.train, stage_of_node), recipe.pipeline};
  prepared.evaluate_stages = {stages_of_steps(prepared.evaluate, evaluation_stages), recipe.pipeline};
  prepared.ties = std::move(untied.ties);
  return prepared;
}

/// The roles of all ranks that share a pipeline and a tensor coordinate: one, unless their shards differ in size.
class RoleCompiler {
 public:
  RoleCompiler(const Task& task, const Recipe& recipe, const program::Mesh& mesh, const Prepared& prepared)
      : task_(task),
        recipe_(recipe),
        mesh_(mesh),
        prepared_(prepared),
        train_times_(prepared.train, prepared.train_stages, pipeline(), recipe.schedule, true),
        evaluate_times_(prepared.evaluate, prepared.evaluate_stages, pipeline(), recipe.schedule, false) {}

  std::vector<std::pair<graph::Extent, program::Role>> roles(const program::Coordinates& coordinates) const {
    const RolePosition position{mesh_, coordinates, coordinate(mesh_, coordinates, "pipeline"), recipe_.microbatches};
    Partition partition = recipe_.partition;
    if (recipe_.data == 1) partition.stage = 0;  // nobody to share with
    BucketSizes sizes = recipe_.buckets;  // one rank's gradients would else be one bucket
    sizes.limit_all = !partition.keeps_gradients;
    const FlatLayout layout = lay_out(prepared_.train, prepared_.train_stages, position, prepared_.ties, sizes,
                                      {partition.gradients(), task_.optimizer.needs_norms()});
    std::vector<std::pair<graph::Extent, program::Role>> roles;
    for (const graph::Extent& run : equal_shards(layout, mesh_, partition, task_.optimizer.needs_segments())) {
      const Shards shards(layout, mesh_, partition, run);
      program::Role role;
      role.name = role_name(mesh_, coordinates, run);
      EmittedState state = emit({prepared_.train, prepared_.train_stages, train_times_, position, layout, shards,
                                 &task_.optimizer, recipe_.recomputation, recipe_.overlap},
                                role.train);
      emit({prepared_.evaluate, prepared_.evaluate_stages, evaluate_times_, position, layout, shards}, role.evaluate);
      role.state = std::move(state.state);
      role.shards = std::move(state.shards);
      roles.emplace_back(run, std::move(role));
    }
    return roles;
  }

 private:
  Pipeline pipeline() const { return {recipe_.pipeline, recipe_.chunks, recipe_.microbatches}; }

  const Task& task_;
  const Recipe& recipe_;
  const program::Mesh& mesh_;
  const Prepared& prepared_;
  Timetable train_times_;
  Timetable evaluate_times_;
};

}  // namespace

program::Plan compile(const Task& task, const Recipe& recipe) {
  require_batch(task, recipe);
  require_passing_gradients(task, recipe);
  program::Plan plan;
  plan.meshes = {mesh_of(recipe)};
  const program::Mesh& mesh = plan.meshes.front();
  program::require_ranks(mesh, task.ranks);
  plan.global_batch = task.global_batch;
  plan.microbatches = recipe.microbatches;

  const Prepared prepared = prepare(task, recipe, plan.choices);
  const RoleCompiler compiler(task, recipe, mesh, prepared);
  std::map<program::Coordinates, std::vector<std::pair<graph::Extent, int>>> roles_at;
  for (int rank = 0; rank < mesh.size(); ++rank) {
    const program::Coordinates coordinates = without_data(mesh, rank);
    const auto [known, is_new] = roles_at.try_emplace(coordinates);
    if (is_new)
      for (auto& [run, role] : compiler.roles(coordinates)) {
        known->second.emplace_back(run, static_cast<int>(plan.roles.size()));
        plan.roles.push_back(std::move(role));
      }
    const int data = coordinate(mesh, mesh.coordinates_of(rank), "data");
    for (const auto& [run, role] : known->second)
      if (data >= run.begin && data < run.end) plan.role_of_rank.push_back(role);
  }
  return plan;
}

}  // namespace ddlbench::strategies
