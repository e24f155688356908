#include "base/error.h"
#include "graph/ops/optimizers/common.h"
#include "graph/ops/optimizers/kinds.h"

namespace ddlbench::graph {

Optimizer sgd(const OptimizerSettings& s) {
  if (s.nesterov && s.momentum == 0) throw InputError("nesterov needs momentum, which is 0");
  Optimizer made = guarded(s);
  if (s.momentum != 0) made.states = {"momentum"};
  made.update = at_site<SgdUpdate>(s.guard, s.momentum, s.nesterov, s.weight_decay);
  return made;
}

OptimizerKind sgd_kind() {
  return {"sgd",
          "Stochastic gradient descent, optionally with momentum.",
          {learning_rate_option(),
           momentum_option(0),
           {"nesterov", false, "Nesterov momentum."},
           weight_decay_option(0, "L2 penalty: added to the gradient, times the weight."),
           exempt_vectors_option(false)},
          [](const OptionValues& options, const Guard& guard, const LossScaling& scaling) {
            return sgd(settings_of(options, guard, scaling));
          },
          [](const OptionValues& options) -> std::vector<OptionProblem> {
            if (!value_of<bool>(options, "nesterov") || value_of<double>(options, "momentum") != 0) return {};
            return {{"nesterov", "needs momentum, which is 0"}};
          }};
}

}  // namespace ddlbench::graph
