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
  kind.options = {microbatches_option(1)};
  kind.make = [](const graph::OptionValues& options) {
    return make_recipe_strategy([count = microbatches(options)](int ranks) {
      Recipe recipe;
      recipe.tensor = ranks;
      recipe.microbatches = count;
      return recipe;
    });
  };
  return kind;
}

}  // namespace ddlbench::strategies
