#include <fmt/core.h>

#include "graph/ops/weighted_sum.h"
#include "strategies/synchronization/stages.h"

namespace ddlbench::strategies {

/// A step of plain SGD with that many times the momentum in place of the gradient.
void PredictParameters::run(BucketSite& site) const {
  const Instances::Estimate& prediction = site.in.instances.estimate();
  if (!prediction.buckets.contains(site.index)) return;
  const program::Operand own = site.own_parameters(),
                         predicted = site.in.shards.whole(prediction.parameters, site.index);
  const auto scratch = [&](const char* what) {
    return site.in.instances.staging(fmt::format("{} of bucket {}", what, site.index), own.type);
  };
  const program::Operand change = scratch("predicted change");
  program::Compute scale{{std::make_shared<graph::WeightedSum>(std::vector<double>{1.0 * prediction.weights.updates})},
                         {site.in.shards.whole(site.in.storage.states().front(), site.index)},
                         {change}};
  site.append("predict change of", std::move(scale), program::Phase::optimizer);
  const bool rounds = site.in.storage.masters() != nullptr;
  graph::UpdateSite at;
  if (rounds) at.working = predicted.type.dtype;
  program::Compute move{
      {std::make_shared<graph::SgdUpdate>(0.0F, false, 0.0F, graph::Guard{}, std::move(at))}, {own, change}, {}};
  if (rounds) move.outputs.push_back(scratch("predicted masters"));
  move.outputs.push_back(predicted);
  site.append("predict parameters of", std::move(move), program::Phase::optimizer);
}

}  // namespace ddlbench::strategies
