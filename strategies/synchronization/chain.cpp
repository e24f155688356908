#include "strategies/synchronization/chain.h"

#include <map>

#include "graph/random.h"
#include "graph/tensor.h"

#include "strategies/synchronization/stages.h"

namespace ddlbench::strategies {
namespace {

template <class Stage, class... Arguments>
std::shared_ptr<const BucketStage> stage(Arguments&&... arguments) {
  return std::make_shared<const Stage>(std::forward<Arguments>(arguments)...);
}

BucketChain gradient_chain(const StrategySpec& spec) {
  const Partition& state = spec.state;
  const std::optional<graph::DType>& wire = spec.sync.wire;
  const auto sum = stage<Sum>(spec.sync.priority);
  const auto scatter = wire ? stage<WireScatter>(state.axis, *wire) : stage<Scatter>(state.axis);
  const auto gather = wire ? stage<WireGather>(state.axis, *wire) : stage<Gather>(state.axis);
  BucketChain chain;
  chain.update = {stage<Update>()};
  if (state.states() && !state.parameters()) chain.update.push_back(stage<GatherParameters>(state.axis));
  if (state.gradients()) {
    chain.each_microbatch = {scatter, sum};
    chain.complete = {sum};
  } else if (state.states()) {
    chain.complete = {scatter, sum};
  } else if (spec.sync.codec) {
    const SyncSpec& sync = spec.sync;
    chain.complete = {stage<EncodedSum>(*sync.codec, sync.feedback, sync.momentum_correction)};
    if (sync.feedback) chain.states = {{residual_name}};
    if (sync.momentum_correction > 0) chain.states.push_back({velocity_name});
  } else if (spec.sync.approximation_rank > 0) {
    chain.approximation_rank = spec.sync.approximation_rank;
    chain.complete = {stage<LowRankSum>(chain.approximation_rank)};
    chain.states = {{residual_name}};
  } else if (state.in_parts) {
    chain.complete = {scatter, sum, gather};
  } else {
    chain.complete = {sum};
  }
  return chain;
}

/// Steps with the codecs of the warm-up, as many with each, and then with the strategy's own.
Synchronization warmed_up(StrategySpec spec) {
  Synchronization made;
  const std::vector<graph::Codec> codecs = codecs_of_steps(spec.sync);
  const auto stages = static_cast<int>(codecs.size()) - 1;
  for (int i = 0; i <= stages; ++i) {
    spec.sync.codec = codecs[static_cast<std::size_t>(i)];
    made.bodies.push_back(gradient_chain(spec));
    if (i < stages) made.cadence.ramp.push_back({i, graph::part_of(spec.sync.warm_up_steps, stages, i).size()});
  }
  made.cadence.cycle = {{stages, 1}};
  return made;
}

std::shared_ptr<const BucketStage> averaging_stage(const WeightsSpec& weights) {
  using Kind = WeightsSpec::Kind;
  if (weights.kind == Kind::block_momentum)
    return stage<BlockMomentum>(weights.momentum, weights.rate, weights.nesterov);
  if (weights.kind == Kind::elastic) return stage<ElasticAverage>(weights.strength);
  return stage<MeanParameters>(weights.averages_states);
}

std::vector<StageState> averaging_states(const WeightsSpec& weights) {
  using Kind = WeightsSpec::Kind;
  if (weights.kind == Kind::block_momentum) return {{global_name, false, true}, {change_name, false, false}};
  if (weights.kind == Kind::elastic) return {{center_name, false, true}};
  return {};
}

BucketChain local_chain() {
  BucketChain chain;
  chain.local_gradients = true;
  chain.complete = {stage<LocalGradient>()};
  chain.update = {stage<Update>()};
  return chain;
}

/// Steps on own gradients, the last of each cycle with an average over all ranks.
Synchronization averaging(const StrategySpec& spec) {
  Synchronization made;
  made.cadence.cycle.clear();
  const auto add = [&made](std::vector<program::Cadence::Turn>& turns, BucketChain chain, std::int64_t steps) {
    turns.push_back({static_cast<int>(made.bodies.size()), steps});
    made.bodies.push_back(std::move(chain));
  };
  BucketChain averages = local_chain();
  averages.update.push_back(averaging_stage(spec.weights));
  if (spec.weights.synchronous_steps > 0) add(made.cadence.ramp, gradient_chain(spec), spec.weights.synchronous_steps);
  if (spec.weights.every > 1) add(made.cadence.cycle, local_chain(), spec.weights.every - 1);
  add(made.cadence.cycle, std::move(averages), 1);
  for (BucketChain& chain : made.bodies) chain.states = averaging_states(spec.weights);
  return made;
}

Synchronization gossip_with_neighbours(const StrategySpec& spec) {
  Synchronization made;
  made.cadence.cycle.clear();
  std::map<std::vector<int>, int> body_of;
  for (const std::vector<int>& distances : gossip_distances(spec.weights, spec.mesh.batch)) {
    const auto [found, is_new] = body_of.try_emplace(distances, static_cast<int>(made.bodies.size()));
    if (is_new) {
      BucketChain chain = local_chain();
      chain.begin = {stage<ExchangeParameters>(distances)};
      chain.update.insert(chain.update.begin(), stage<MixParameters>());
      made.bodies.push_back(std::move(chain));
    }
    made.cadence.cycle.push_back({found->second, 1});
  }
  return made;
}

/// All steps but the first complete the sums of the step before.
Synchronization prioritized(const StrategySpec& spec) {
  Synchronization made{{}, {gradient_chain(spec), gradient_chain(spec)}};
  made.bodies.front().completes_previous_step = true;
  made.cadence.fill = {1};
  return made;
}

}  // namespace

std::vector<graph::Codec> codecs_of_steps(const SyncSpec& sync) {
  std::vector<graph::Codec> codecs;
  constexpr double ratio = 0.25;
  for (double density = ratio; sync.warm_up_steps > 0; density *= ratio) {
    const auto stages = static_cast<std::int64_t>(codecs.size());
    if (density <= value_of<double>(sync.codec->options, "density") || stages == sync.warm_up_steps) break;
    graph::Codec& codec = codecs.emplace_back(*sync.codec);
    codec.options["density"] = density;
  }
  codecs.push_back(*sync.codec);
  return codecs;
}

std::vector<std::vector<int>> gossip_distances(const WeightsSpec& weights, int ranks) {
  if (weights.kind == WeightsSpec::Kind::ring) return {ranks == 2 ? std::vector{1} : std::vector{1, ranks - 1}};
  std::vector<std::vector<int>> steps;
  if (weights.kind == WeightsSpec::Kind::exponential) {
    for (int distance = 1; distance < ranks; distance *= 2) steps.push_back({distance});
    return steps;
  }
  constexpr int drawn_steps = 64;
  const std::uint64_t key =
      graph::random_key(static_cast<std::uint64_t>(weights.seed), graph::Purpose::gossip, "distance");
  for (std::uint64_t step = 0; step < drawn_steps; ++step)
    steps.push_back({1 + static_cast<int>(graph::philox(key, 0, step).v[0] % static_cast<std::uint32_t>(ranks - 1))});
  return steps;
}

Synchronization synchronization_of(const StrategySpec& spec) {
  if (spec.weights.gossips()) return gossip_with_neighbours(spec);
  if (spec.weights.own()) return averaging(spec);
  if (spec.sync.codec) return warmed_up(spec);
  if (spec.sync.priority) return prioritized(spec);
  Synchronization made{{}, {gradient_chain(spec)}};
  if (spec.timing().flushes) return made;
  BucketChain& chain = made.bodies.front();
  if (spec.pipeline.weights == WeightVersions::predicted) chain.begin = {stage<PredictParameters>()};
  if (spec.pipeline.weights == WeightVersions::corrected) {
    chain.begin = {stage<CorrectParameters>()};
    chain.update.insert(chain.update.begin(), stage<MeanChange>(spec.pipeline.correction_decay, true));
    chain.update.push_back(stage<MeanChange>(spec.pipeline.correction_decay, false));
    chain.states = {{mean_change_name, false, false}};
  }
  return made;
}

}  // namespace ddlbench::strategies
