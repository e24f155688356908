#include <fmt/core.h>
#include <cmath>

#include "graph/ops/cast.h"
#include "graph/ops/weighted_sum.h"
#include "strategies/spec.h"
#include "strategies/synchronization/batch_axes.h"
#include "strategies/synchronization/stages.h"

namespace ddlbench::strategies {

using program::Operand;

namespace {

/// A term of a sum of operands.
struct Term {
  double weight;
  Operand operand;
};

/// Appends to ← the sum of one or two terms.
void append_sum(const BucketSite& site, const std::string& what, const std::vector<Term>& terms, const Operand& to,
                program::Phase phase = program::Phase::communication) {
  std::vector<double> weights;
  program::Compute compute;
  for (const Term& term : terms) {
    weights.push_back(term.weight);
    compute.inputs.push_back(term.operand);
  }
  compute.op = std::make_shared<graph::WeightedSum>(std::move(weights));
  compute.outputs = {to};
  site.append(what, std::move(compute), phase);
}

void append_all_reduce(const BucketSite& site, const std::string& what, const Operand& values) {
  program::CollectiveCall call;
  call.input = call.output = values;
  site.communicate(what, std::move(call), batch_axes(site.in.position.mesh));
}

void append_mean(const BucketSite& site, const std::string& of, const Operand& values) {
  append_all_reduce(site, fmt::format("sum {} of", of), values);
  append_sum(site, fmt::format("average {} of", of), {{1.0 / site.data_ranks(), values}}, values);
}

Operand state(const BucketSite& site, const char* name) {
  return site.in.shards.whole(site.in.storage.stage_state(name), site.index);
}

}  // namespace

void LocalGradient::run(BucketSite& site) const {
  site.partial.clear();
  append_sum(site, "scale gradients of", {{static_cast<double>(site.data_ranks()), site.gradient}}, site.gradient,
             program::Phase::optimizer);
}

void MeanParameters::run(BucketSite& site) const {
  append_mean(site, "parameters", site.own_parameters());
  site.refresh_parameters();
  if (!states) return;
  for (const FlatBuffer& buffer : site.in.storage.states())
    append_mean(site, "states", site.in.shards.own(buffer, site.index));
}

void BlockMomentum::run(BucketSite& site) const {
  const Operand parameters = site.own_parameters(), global = state(site, global_name),
                change = state(site, change_name);
  append_all_reduce(site, "sum parameters of", parameters);
  append_sum(site, "decay change of", {{momentum, change}, {rate / site.data_ranks(), parameters}}, change);
  append_sum(site, "change of", {{1, change}, {-rate, global}}, change);
  append_sum(site, "move global parameters of", {{1, global}, {1, change}}, global);
  append_sum(site, "continue from global parameters of", {{1, global}, {nesterov ? momentum : 0, change}}, parameters);
  site.refresh_parameters();
}

void ElasticAverage::run(BucketSite& site) const {
  const Operand parameters = site.own_parameters(), center = state(site, center_name);
  const Operand sum =
      site.in.instances.staging(fmt::format("sum of parameters of bucket {}", site.index), parameters.type);
  append_sum(site, "copy parameters of", {{1, parameters}}, sum);
  append_all_reduce(site, "sum parameters of", sum);
  const double share = strength / site.data_ranks();
  append_sum(site, "pull parameters of", {{1 - share, parameters}, {share, center}}, parameters);
  append_sum(site, "pull center of", {{1 - strength, center}, {share, sum}}, center);
  site.refresh_parameters();
}

void ExchangeParameters::run(BucketSite& site) const {
  const Operand parameters = site.own_parameters();
  program::Exchange exchange;
  const auto peer = [&](int distance) {
    program::Peer peer;
    for (const program::Axis& axis : site.in.position.mesh.axes()) {
      const bool moves = axis.name == axis_name(Use::batch);
      peer.rules.push_back(moves ? program::CoordinateRule{program::CoordinateRule::Kind::rotated, distance}
                                 : program::CoordinateRule{});
    }
    return peer;
  };
  for (std::size_t i = 0; i < distances.size(); ++i) {
    const int tag = static_cast<int>(site.index * distances.size() + i);
    const Operand from =
        site.in.instances.staging(fmt::format("received parameters {} of bucket {}", i, site.index), parameters.type);
    exchange.sends.push_back({peer(distances[i]), parameters, tag});
    exchange.receives.push_back({peer(-distances[i]), from, tag});
    site.received.push_back(from);
  }
  site.append("exchange parameters of", std::move(exchange), program::Phase::communication);
}

void MixParameters::run(BucketSite& site) const {
  const Operand parameters = site.own_parameters();
  const double share = 1.0 / static_cast<double>(site.received.size() + 1);
  double kept = share;
  for (const Operand& received : site.received) {
    append_sum(site, "mix parameters of", {{kept, parameters}, {share, received}}, parameters);
    kept = 1;
  }
  site.refresh_parameters();
}

void CorrectParameters::run(BucketSite& site) const {
  const Instances::Estimate& estimate = site.in.instances.estimate();
  if (!estimate.buckets.contains(site.index)) return;
  const Operand own = site.own_parameters(), corrected = site.in.shards.whole(estimate.parameters, site.index);
  const bool rounds = corrected.type.dtype != own.type.dtype;
  const Operand sum =
      rounds ? site.in.instances.staging(fmt::format("corrected masters of bucket {}", site.index), own.type)
             : corrected;
  append_sum(site, "correct parameters of",
             {{1, own}, {-1.0 * estimate.weights.updates, state(site, mean_change_name)}}, sum,
             program::Phase::optimizer);
  if (rounds)
    site.append("round corrected parameters of",
                program::Compute{{std::make_shared<graph::Cast>(corrected.type.dtype)}, {sum}, {corrected}},
                program::Phase::optimizer);
}

void MeanChange::run(BucketSite& site) const {
  const Instances::Estimate& estimate = site.in.instances.estimate();
  if (!estimate.buckets.contains(site.index)) return;
  const double kept = std::pow(decay, 1.0 / estimate.weights.updates);
  const Operand mean = state(site, mean_change_name);
  append_sum(site, before_update ? "decay mean change of" : "mean change of",
             {{before_update ? kept : 1, mean}, {(before_update ? -1 : 1) * (1 - kept), site.own_parameters()}}, mean,
             program::Phase::optimizer);
}

}  // namespace ddlbench::strategies
