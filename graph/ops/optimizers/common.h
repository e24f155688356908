#pragma once

#include <memory>

#include "base/option.h"
#include "graph/ops/optimizer.h"

/// Options and helpers of several optimizers.
namespace ddlbench::graph {

Option learning_rate_option();
Option momentum_option(double value);
Option weight_decay_option(double value, const char* help);
Option exempt_vectors_option(bool value);
/// Returns the options of an optimizer with two moments: learning rate, decay rates of the moments, epsilon, weight
/// decay and exemption of vectors.
std::vector<Option> moment_options(double epsilon, Option weight_decay, bool exempts_vectors);

/// Returns the settings in `options`; the others have their defaults.
OptimizerSettings settings_of(const OptionValues& options, const Guard& guard, const LossScaling& scaling);

/// Returns an optimizer with the members that depend only on the settings.
Optimizer guarded(const OptimizerSettings& settings);

/// Returns a function that makes an `Update` with these attributes, `guard` and the given site.
template <class Update, class... Attributes>
std::function<OpPtr(UpdateSite)> at_site(Guard guard, Attributes... attributes) {
  return [=](UpdateSite site) -> OpPtr { return std::make_shared<Update>(attributes..., guard, std::move(site)); };
}

}  // namespace ddlbench::graph
