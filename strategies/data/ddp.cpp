#include "strategies/kinds.h"
#include "strategies/recipe_strategy.h"

namespace ddlbench::strategies {

StrategyKind ddp() {
  StrategyKind kind;
  kind.name = "ddp";
  kind.family = Family::data;
  kind.help = "data parallel: each rank a part of the batch, gradients all-reduced in buckets (Li et al. 2020)";
  kind.options = bucket_options();
  kind.options.push_back(microbatches_option(1));
  kind.options.push_back(recompute_option());
  kind.options.push_back(update_in_backward_option());
  kind.make = [](const graph::OptionValues& options) {
    const Recomputation again = recomputation(options);
    return make_recipe_strategy([options, again](int ranks) {
      Recipe recipe;
      recipe.data = ranks;
      recipe.microbatches = microbatches(options);
      recipe.recomputation = again;
      recipe.partition.keeps_gradients = !updates_in_backward(options);
      set_buckets(recipe, options);
      return recipe;
    });
  };
  return kind;
}

}  // namespace ddlbench::strategies
