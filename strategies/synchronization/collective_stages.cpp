#include "strategies/synchronization/stages.h"

namespace ddlbench::strategies {

using graph::Collective;

namespace {

/// Returns a collective in which each rank has its part of the bucket.
program::CollectiveCall of_parts(const BucketSite& site, Collective kind, program::Operand input,
                                 program::Operand output) {
  program::CollectiveCall call;
  call.kind = kind;
  call.counts = site.in.shards.counts(site.index);
  call.input = std::move(input);
  call.output = std::move(output);
  return call;
}

}  // namespace

void Sum::run(BucketSite& site) const {
  const std::vector<std::string> axes = std::exchange(site.partial, {});
  const bool over_holders = std::exchange(site.over_holders, false);
  if (axes.empty() && !over_holders) return;
  program::CollectiveCall call;
  call.input = call.output = site.gradient;
  call.in_turn = in_turn;
  site.communicate("reduce", std::move(call), axes, over_holders);
}

void Scatter::run(BucketSite& site) const {
  site.communicate("scatter", of_parts(site, Collective::reduce_scatter, site.whole, site.part), {axis});
  site.gradient = site.part;
  std::erase(site.partial, axis);
}

void Gather::run(BucketSite& site) const {
  site.communicate("gather gradients of", of_parts(site, Collective::all_gather, site.part, site.whole), {axis});
  site.gradient = site.whole;
}

void GatherParameters::run(BucketSite& site) const {
  const FlatBuffer& parameters = site.in.storage.parameters();
  const Shards& shards = site.in.shards;
  site.communicate(
      "gather",
      of_parts(site, Collective::all_gather, shards.own(parameters, site.index), shards.whole(parameters, site.index)),
      {axis});
}

}  // namespace ddlbench::strategies
