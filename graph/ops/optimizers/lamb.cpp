#include "graph/ops/optimizers/common.h"
#include "graph/ops/optimizers/kinds.h"

namespace ddlbench::graph {

Optimizer lamb(const OptimizerSettings& s) {
  Optimizer made = guarded(s);
  made.states = {"first_moment", "second_moment"};
  made.measure = at_site<LambMeasure>(s.guard, s.beta1, s.beta2, s.epsilon, s.weight_decay);
  made.measures_states = true;
  made.update = at_site<LambUpdate>(s.guard, s.beta1, s.beta2, s.epsilon, s.weight_decay);
  return made;
}

OptimizerKind lamb_kind() {
  return {"lamb", "Adam with a learning rate per layer, for large batches (You et al. 2020).",
          moment_options(1e-6, weight_decay_option(0.01, "Added to the update, times the weight."), true),
          [](const OptionValues& options, const Guard& guard, const LossScaling& scaling) {
            return lamb(settings_of(options, guard, scaling));
          }};
}

}  // namespace ddlbench::graph
