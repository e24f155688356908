#include "graph/ops/optimizers/common.h"
#include "graph/ops/optimizers/kinds.h"

namespace ddlbench::graph {
namespace {

Optimizer adam_of(const OptimizerSettings& s, bool decoupled) {
  Optimizer made = guarded(s);
  made.states = {"first_moment", "second_moment"};
  made.update = at_site<AdamUpdate>(s.guard, s.beta1, s.beta2, s.epsilon, s.weight_decay, decoupled);
  return made;
}

}  // namespace

Optimizer adam(const OptimizerSettings& settings) {
  return adam_of(settings, false);
}

Optimizer adamw(const OptimizerSettings& settings) {
  return adam_of(settings, true);
}

OptimizerKind adam_kind() {
  return {"adam", "Adam with bias-corrected moments.",
          moment_options(1e-8, weight_decay_option(0, "L2 penalty: added to the gradient, times the weight."), false),
          [](const OptionValues& options, const Guard& guard, const LossScaling& scaling) {
            return adam(settings_of(options, guard, scaling));
          }};
}

OptimizerKind adamw_kind() {
  const char* help = "Subtracted from the weight at each step, times the learning rate and the weight.";
  return {"adamw", "Adam with decoupled weight decay (Loshchilov & Hutter 2019).",
          moment_options(1e-8, weight_decay_option(0.01, help), false),
          [](const OptionValues& options, const Guard& guard, const LossScaling& scaling) {
            return adamw(settings_of(options, guard, scaling));
          }};
}

}  // namespace ddlbench::graph
