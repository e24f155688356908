#include "strategies/kinds.h"
#include "strategies/recipe_strategy.h"

namespace ddlbench::strategies {

StrategyKind pipeline(const ScheduleKind& schedule) {
  StrategyKind kind;
  kind.name = schedule.name;
  kind.family = Family::inter_layer;
  kind.help = schedule.help;
  kind.options = {microbatches_option(4), recompute_option()};
  if (schedule.has_chunks) kind.options.push_back(chunks_option());
  kind.make = [schedule](const graph::OptionValues& options) {
    const Recomputation again = recomputation(options);
    return make_recipe_strategy([schedule, options, again](int ranks) {
      Recipe recipe;
      recipe.pipeline = ranks;
      recipe.schedule = schedule.schedule;
      if (schedule.has_chunks) recipe.chunks = chunks(options);
      recipe.microbatches = microbatches(options);
      recipe.recomputation = again;
      return recipe;
    });
  };
  return kind;
}

}  // namespace ddlbench::strategies
