#include "strategies/kinds.h"
#include "strategies/recipe_strategy.h"

namespace ddlbench::strategies {

StrategyKind zero() {
  StrategyKind kind;
  kind.name = "zero";
  kind.family = Family::data;
  kind.help =
      "data parallel with sharded state: 1 optimizer states, 2 gradients, too, 3 parameters, too (Rajbhandari et al. "
      "2020)";
  kind.options = {{"stage", std::int64_t{1}, "what is sharded besides the stage before", 1, {}, 3}};
  for (graph::Option& option : bucket_options()) kind.options.push_back(std::move(option));
  kind.options.push_back(microbatches_option(1));
  kind.options.push_back(recompute_option());
  kind.options.push_back({"prefetch", std::int64_t{1}, "stage 3: buckets gathered ahead of their use", 0, {}, 1 << 10});
  kind.options.push_back({"reshard", true, "stage 3: drop parameters after forward and gather them again", 0, {}});
  kind.make = [](const graph::OptionValues& options) {
    const Recomputation again = recomputation(options);
    return make_recipe_strategy([options, again](int ranks) {
      Recipe recipe;
      recipe.data = ranks;
      recipe.microbatches = microbatches(options);
      recipe.recomputation = again;
      set_buckets(recipe, options);
      recipe.partition.stage = static_cast<int>(graph::value_of<std::int64_t>(options, "stage"));
      recipe.partition.prefetch = static_cast<int>(graph::value_of<std::int64_t>(options, "prefetch"));
      recipe.partition.reshard = graph::value_of<bool>(options, "reshard");
      return recipe;
    });
  };
  return kind;
}

}  // namespace ddlbench::strategies
