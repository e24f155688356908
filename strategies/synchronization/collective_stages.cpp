#include "strategies/synchronization/stages.h"

namespace ddlbench::strategies {

using graph::Collective;

void Sum::run(BucketSite& site) const {
  const std::vector<std::string> axes = std::exchange(site.partial, {});
  const bool over_holders = std::exchange(site.over_holders, false);
  if (axes.empty() && !over_holders) return;
  program::CollectiveCall call;
  call.input = call.output = site.gradient;
  site.communicate("reduce", std::move(call), axes, over_holders);
}

void Scatter::run(BucketSite& site) const {
  program::CollectiveCall call;
  call.kind = Collective::reduce_scatter;
  call.counts = site.in.shards.counts(site.index);
  call.input = site.whole;
  call.output = site.gradient = site.part;
  site.communicate("scatter", std::move(call), {axis});
  std::erase(site.partial, axis);
}

void Gather::run(BucketSite& site) const {
  program::CollectiveCall call;
  call.kind = Collective::all_gather;
  call.counts = site.in.shards.counts(site.index);
  call.input = site.part;
  call.output = site.gradient = site.whole;
  site.communicate("gather gradients of", std::move(call), {axis});
}

void GatherParameters::run(BucketSite& site) const {
  const FlatBuffer& parameters = site.in.storage.parameters();
  program::CollectiveCall call;
  call.kind = Collective::all_gather;
  call.counts = site.in.shards.counts(site.index);
  call.input = site.in.shards.own(parameters, site.index);
  call.output = site.in.shards.whole(parameters, site.index);
  site.communicate("gather", std::move(call), {axis});
}

}  // namespace ddlbench::strategies
