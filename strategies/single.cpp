#include "strategies/kinds.h"
#include "strategies/recipe_strategy.h"

namespace ddlbench::strategies {

StrategyKind single() {
  StrategyKind kind;
  kind.name = "single";
  kind.family = Family::single;
  kind.help = "one rank, no parallelism: what all others are held against";
  kind.options = {microbatches_option(1), recompute_option(), update_in_backward_option()};
  kind.make = [](const graph::OptionValues& options) {
    const Recomputation again = recomputation(options);
    return make_recipe_strategy([options, again](int ranks) {
      if (ranks != 1) throw Unsupported("single runs on 1 rank, not on " + std::to_string(ranks));
      Recipe recipe;
      recipe.microbatches = microbatches(options);
      recipe.recomputation = again;
      recipe.partition.keeps_gradients = !updates_in_backward(options);
      return recipe;
    });
  };
  kind.fixed_ranks = [](const graph::OptionValues&) { return 1; };
  return kind;
}

}  // namespace ddlbench::strategies
