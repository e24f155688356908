#include "graph/error.h"
#include "strategies/inter_layer/schedules.h"
#include "strategies/kinds.h"
#include "strategies/recipe_strategy.h"

namespace ddlbench::strategies {

namespace {

graph::Option schedule_option() {
  graph::Option option{"schedule", schedules().front().name, "order of the pipeline axis", 0, {}};
  for (const ScheduleKind& schedule : schedules()) option.choices.push_back(schedule.name);
  return option;
}

/// Degrees from {"data": 2, "pipeline": 2}. Throws InputError naming an axis that no pass knows.
Recipe degrees(const graph::AxisSizes& mesh) {
  Recipe recipe;
  for (const auto& [axis, size] : mesh) {
    if (axis == "data")
      recipe.data = size;
    else if (axis == "tensor")
      recipe.tensor = size;
    else if (axis == "pipeline")
      recipe.pipeline = size;
    else
      throw InputError("a hybrid's mesh has no axis '" + axis + "'; its axes are data, tensor and pipeline");
  }
  return recipe;
}

/// The product of the axes. Throws InputError for a mesh that is empty or too large to count.
int ranks_of(const graph::AxisSizes& mesh) {
  constexpr std::int64_t most = 4096;
  if (mesh.empty()) throw InputError("a hybrid needs a mesh, such as {\"data\": 2, \"pipeline\": 2}");
  std::int64_t ranks = 1;
  for (const auto& [axis, size] : mesh) {
    ranks *= size;
    if (ranks > most) throw InputError("the mesh has more than " + std::to_string(most) + " ranks: make it smaller");
  }
  return static_cast<int>(ranks);
}

}  // namespace

StrategyKind hybrid() {
  StrategyKind kind;
  kind.name = "hybrid";
  kind.family = Family::hybrid;
  kind.help = "a mesh of data, tensor and pipeline axes, as in {\"mesh\": {\"data\": 2, \"pipeline\": 2}}";
  kind.options = bucket_options();
  kind.options.push_back({"mesh", graph::AxisSizes{}, "ranks on each axis", 1, {"data", "tensor", "pipeline"}});
  kind.options.push_back(microbatches_option(4));
  kind.options.push_back(schedule_option());
  kind.options.push_back(chunks_option());
  kind.options.push_back(recompute_option());
  kind.options.push_back({"zero", std::int64_t{0}, "stage of ZeRO on the data axis", 0, {}, 3});
  kind.make = [](const graph::OptionValues& options) {
    const Recomputation again = recomputation(options);
    return make_recipe_strategy([options, again](int) {
      Recipe recipe = degrees(graph::value_of<graph::AxisSizes>(options, "mesh"));
      recipe.microbatches = microbatches(options);
      recipe.recomputation = again;
      recipe.partition.stage = static_cast<int>(graph::value_of<std::int64_t>(options, "zero"));
      set_buckets(recipe, options);
      if (recipe.pipeline == 1) return recipe;
      const ScheduleKind& schedule = find_schedule(graph::value_of<std::string>(options, "schedule"));
      recipe.schedule = schedule.schedule;
      if (schedule.has_chunks) recipe.chunks = chunks(options);
      return recipe;
    });
  };
  kind.fixed_ranks = [](const graph::OptionValues& options) {
    return ranks_of(graph::value_of<graph::AxisSizes>(options, "mesh"));
  };
  return kind;
}

}  // namespace ddlbench::strategies
