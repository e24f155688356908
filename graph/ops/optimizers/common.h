#pragma once

#include <memory>

#include "base/option.h"
#include "graph/ops/optimizer.h"

/// What several optimizers share.
namespace ddlbench::graph {

Option learning_rate_option();
Option momentum_option(double value);
Option weight_decay_option(double value, const char* help);
Option exempt_vectors_option(bool value);
/// Of an optimizer with two moments: the rate, their decays, epsilon, and the two above.
std::vector<Option> moment_options(double epsilon, Option weight_decay, bool exempts_vectors);

/// The settings that `options` have; the others keep their defaults.
OptimizerSettings settings_of(const OptionValues& options, const Guard& guard, const LossScaling& scaling);

/// The parts of an optimizer that follow from its settings alone.
Optimizer guarded(const OptimizerSettings& settings);

/// A maker of `Update` with these attributes, `guard` and the site.
template <class Update, class... Attributes>
std::function<OpPtr(UpdateSite)> at_site(Guard guard, Attributes... attributes) {
  return [=](UpdateSite site) -> OpPtr { return std::make_shared<Update>(attributes..., guard, std::move(site)); };
}

}  // namespace ddlbench::graph
