#include <memory>

#include "graph/error.h"
#include "graph/ops/optimizer.h"

namespace ddlbench::graph {
namespace {

/// `settings.guard` at a site, in an op with these attributes before it.
template <class Update, class... Attributes>
std::function<OpPtr(UpdateSite)> make(Guard guard, Attributes... attributes) {
  return [=](UpdateSite site) -> OpPtr { return std::make_shared<Update>(attributes..., guard, std::move(site)); };
}

Optimizer guarded(const OptimizerSettings& s) {
  Optimizer made;
  made.guard = s.guard;
  made.scaling = s.scaling;
  made.exempts_vectors = s.exempts_vectors;
  return made;
}

Optimizer adam_of(const OptimizerSettings& s, bool decoupled) {
  Optimizer made = guarded(s);
  made.states = {"first_moment", "second_moment"};
  made.update = make<AdamUpdate>(s.guard, s.beta1, s.beta2, s.epsilon, s.weight_decay, decoupled);
  return made;
}

}  // namespace

Optimizer sgd(const OptimizerSettings& s) {
  if (s.nesterov && s.momentum == 0) throw InputError("nesterov looks ahead along the momentum, which is 0");
  Optimizer made = guarded(s);
  if (s.momentum != 0) made.states = {"momentum"};
  made.update = make<SgdUpdate>(s.guard, s.momentum, s.nesterov, s.weight_decay);
  return made;
}

Optimizer adam(const OptimizerSettings& settings) {
  return adam_of(settings, false);
}

Optimizer adamw(const OptimizerSettings& settings) {
  return adam_of(settings, true);
}

Optimizer lars(const OptimizerSettings& s) {
  Optimizer made = guarded(s);
  made.states = {"momentum"};
  made.measure = [](UpdateSite site) -> OpPtr { return std::make_shared<TensorNorms>(std::move(site)); };
  made.update = make<LarsUpdate>(s.guard, s.momentum, s.weight_decay, s.trust, s.epsilon);
  return made;
}

Optimizer lamb(const OptimizerSettings& s) {
  Optimizer made = guarded(s);
  made.states = {"first_moment", "second_moment"};
  made.measure = make<LambMeasure>(s.guard, s.beta1, s.beta2, s.epsilon, s.weight_decay);
  made.measures_states = true;
  made.update = make<LambUpdate>(s.guard, s.beta1, s.beta2, s.epsilon, s.weight_decay);
  return made;
}

}  // namespace ddlbench::graph
