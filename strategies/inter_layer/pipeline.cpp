#include "strategies/kinds.h"
#include "strategies/recipe_strategy.h"

namespace ddlbench::strategies {

StrategyKind pipeline(const ScheduleKind& schedule) {
  StrategyKind kind;
  kind.name = schedule.name;
  kind.family = Family::inter_layer;
  kind.help = schedule.help;
  kind.options = {microbatches_option(4), recompute_option()};
  kind.make = [run = schedule.schedule](const graph::OptionValues& options) {
    return make_recipe_strategy([run, options](int ranks) {
      Recipe recipe;
      recipe.pipeline = ranks;
      recipe.schedule = run;
      recipe.microbatches = microbatches(options);
      recipe.recompute = graph::value_of<bool>(options, "recompute");
      return recipe;
    });
  };
  return kind;
}

}  // namespace ddlbench::strategies
