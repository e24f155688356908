#include "strategies/compile.h"

#include <map>

#include "strategies/passes/emit.h"
#include "strategies/passes/lower.h"
#include "strategies/passes/shard.h"
#include "strategies/passes/stage.h"

namespace ddlbench::strategies {

namespace {

void require_batch(const Task& task, const Recipe& recipe) {
  const std::int64_t shares = static_cast<std::int64_t>(recipe.data) * recipe.microbatches;
  if (task.global_batch % shares == 0) return;
  throw Unsupported("a global batch of " + std::to_string(task.global_batch) + " does not divide into " +
                    std::to_string(recipe.data) + " data-parallel parts x " + std::to_string(recipe.microbatches) +
                    " micro-batches; use a multiple of " + std::to_string(shares));
}

program::Mesh mesh_of(const Recipe& recipe) {
  std::vector<program::Axis> axes;
  for (const program::Axis& axis : {program::Axis{"pipeline", recipe.pipeline}, program::Axis{"data", recipe.data},
                                    program::Axis{"tensor", recipe.tensor}})
    if (axis.size != 1) axes.push_back(axis);
  return program::Mesh(std::move(axes));
}

/// All data-parallel replicas run one program: a role is told by the other coordinates.
program::Coordinates role_coordinates(const program::Mesh& mesh, int rank) {
  program::Coordinates coordinates = mesh.coordinates_of(rank);
  if (const auto data = mesh.find("data")) coordinates[static_cast<std::size_t>(*data)] = 0;
  return coordinates;
}

std::string role_name(const program::Mesh& mesh, const program::Coordinates& coordinates) {
  std::string name;
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    if (mesh.axes()[i].name != "data")
      name += (name.empty() ? "" : " ") + mesh.axes()[i].name + "=" + std::to_string(coordinates[i]);
  return name.empty() ? "every rank" : name;
}

}  // namespace

program::Plan compile(const Task& task, const Recipe& recipe) {
  require_batch(task, recipe);
  program::Plan plan;
  plan.meshes = {mesh_of(recipe)};
  const program::Mesh& mesh = plan.meshes.front();
  program::require_ranks(mesh, task.ranks);
  plan.global_batch = task.global_batch;
  plan.microbatches = recipe.microbatches;

  graph::Graph forward = graph::with_batch(task.model, task.global_batch / recipe.microbatches);
  std::vector<AxisRule> rules;
  if (recipe.data > 1) rules.push_back({"data", recipe.data, true, {}});
  if (recipe.tensor > 1) {
    Sharding sharding = shard_layers(forward, "tensor", recipe.tensor);
    forward = std::move(sharding.graph);
    rules.push_back(std::move(sharding.rule));
    plan.choices = std::move(sharding.choices);
  }
  const graph::Graph training = graph::differentiate(forward);
  const std::vector<int> stage_of_node = assign_stages(training, recipe.pipeline, task.costs);
  if (recipe.pipeline > 1) plan.choices.push_back("stages: " + describe_stages(training, stage_of_node));

  const ShardedGraph train = lower(training, rules);
  const ShardedGraph evaluate = lower(forward, rules);
  const std::vector<int> train_stages = stages_of_steps(train, stage_of_node);
  const std::vector<int> evaluate_stages = stages_of_steps(evaluate, stage_of_node);

  std::map<program::Coordinates, int> role_at;
  for (int rank = 0; rank < mesh.size(); ++rank) {
    const program::Coordinates coordinates = role_coordinates(mesh, rank);
    const auto [known, is_new] = role_at.emplace(coordinates, static_cast<int>(plan.roles.size()));
    plan.role_of_rank.push_back(known->second);
    if (!is_new) continue;
    const auto pipeline = mesh.find("pipeline");
    const RolePosition position{mesh, coordinates, pipeline ? coordinates[static_cast<std::size_t>(*pipeline)] : 0,
                                recipe.microbatches};
    const std::vector<Work> order = recipe.schedule({recipe.pipeline, 1, recipe.microbatches}, position.stage);
    program::Role role;
    role.name = role_name(mesh, coordinates);
    role.state =
        emit({train, train_stages, position, order, &task.optimizer, recipe.recompute, recipe.overlap, recipe.buckets},
             role.train);
    emit({evaluate, evaluate_stages, position, order, nullptr, false, false, recipe.buckets}, role.evaluate);
    plan.roles.push_back(std::move(role));
  }
  return plan;
}

}  // namespace ddlbench::strategies
