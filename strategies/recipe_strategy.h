#pragma once

#include <functional>

#include "strategies/compile.h"

namespace ddlbench::strategies {

/// A strategy that is a recipe: `recipe(ranks)` says its degrees.
std::unique_ptr<Strategy> make_recipe_strategy(std::function<Recipe(int ranks)> recipe);

/// Settings that several strategies share.
graph::Option microbatches_option(std::int64_t default_value);
graph::Option recompute_option();
graph::Option update_in_backward_option();
Recomputation recomputation(const graph::OptionValues& options);  ///< throws InputError
bool updates_in_backward(const graph::OptionValues& options);
std::vector<graph::Option> bucket_options();

graph::Option chunks_option();

int chunks(const graph::OptionValues& options);
int microbatches(const graph::OptionValues& options);
/// Fills `overlap` and `buckets` from bucket_options().
void set_buckets(Recipe& recipe, const graph::OptionValues& options);

}  // namespace ddlbench::strategies
