#include "graph/ops/optimizers/common.h"
#include "graph/ops/optimizers/kinds.h"

namespace ddlbench::graph {

Optimizer lars(const OptimizerSettings& s) {
  Optimizer made = guarded(s);
  made.states = {"momentum"};
  made.measure = [](UpdateSite site) -> OpPtr { return std::make_shared<TensorNorms>(std::move(site)); };
  made.update = at_site<LarsUpdate>(s.guard, s.momentum, s.weight_decay, s.trust_coefficient, s.epsilon);
  return made;
}

OptimizerKind lars_kind() {
  Option trust_coefficient{"trust_coefficient", 0.001, "Share of a layer's norm that a step may change."};
  trust_coefficient.above = true;
  return {"lars",
          "Momentum with a learning rate per layer, for large batches (You et al. 2017).",
          {learning_rate_option(),
           momentum_option(0.9),
           weight_decay_option(0.0005, "L2 penalty: added to the gradient, times the weight."),
           trust_coefficient,
           {"epsilon", 1e-8, "Added to the norms in the denominator of the rate."},
           exempt_vectors_option(true)},
          [](const OptionValues& options, const Guard& guard, const LossScaling& scaling) {
            return lars(settings_of(options, guard, scaling));
          }};
}

}  // namespace ddlbench::graph
