#include "strategies/kinds.h"
#include "strategies/recipe_strategy.h"

namespace ddlbench::strategies {

StrategyKind tensor() {
  StrategyKind kind;
  kind.name = "tensor";
  kind.family = Family::intra_layer;
  kind.help =
      "tensor parallel: linear layers split by columns and rows in turn, convolutions by output channels "
      "(Shoeybi et al. 2019)";
  kind.options = {microbatches_option(1), recompute_option()};
  kind.make = [](const graph::OptionValues& options) {
    const Recomputation again = recomputation(options);
    return make_recipe_strategy([options, again](int ranks) {
      Recipe recipe;
      recipe.tensor = ranks;
      recipe.microbatches = microbatches(options);
      recipe.recomputation = again;
      return recipe;
    });
  };
  return kind;
}

}  // namespace ddlbench::strategies
