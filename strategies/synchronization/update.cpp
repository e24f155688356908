#include "strategies/synchronization/norms.h"
#include "strategies/synchronization/stages.h"

namespace ddlbench::strategies {

void Update::run(BucketSite& site) const {
  const BucketContext& in = site.in;
  const program::Operand parameters = site.own_parameters();
  if (parameters.view.bytes == 0) return;
  const auto written = [&in](program::Operand operand) {
    if (operand.view.buffer == in.storage.parameters().id) operand.view.age = in.storage.written_weight_age();
    return operand;
  };
  program::Compute compute{
      {in.optimizer.update(update_site(in, site.index))}, {parameters, site.gradient}, {written(parameters)}};
  for (const FlatBuffer& state : in.storage.states()) {
    compute.inputs.push_back(in.shards.own(state, site.index));
    compute.outputs.push_back(compute.inputs.back());
  }
  if (site.norms != nullptr) compute.inputs.push_back(*site.norms);
  if (in.optimizer.guard.any()) compute.inputs.push_back(in.storage.squared_norm());
  if (in.storage.masters() != nullptr)
    compute.outputs.push_back(written(in.shards.own(in.storage.parameters(), site.index)));
  site.append("update", std::move(compute), program::Phase::optimizer);
}

}  // namespace ddlbench::strategies
