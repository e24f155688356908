#include "strategies/synchronization/chain.h"

#include "strategies/synchronization/stages.h"

namespace ddlbench::strategies {
namespace {

template <class Stage, class... Arguments>
std::shared_ptr<const BucketStage> stage(Arguments&&... arguments) {
  return std::make_shared<const Stage>(std::forward<Arguments>(arguments)...);
}

}  // namespace

BucketChain chain_of(const StrategySpec& spec) {
  const Partition& state = spec.state;
  const std::optional<graph::DType>& wire = spec.sync.wire;
  const auto sum = stage<Sum>();
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
    const bool feedback = spec.sync.feedback;
    chain.complete = {stage<EncodedSum>(*spec.sync.codec, feedback)};
    if (feedback) chain.own_states = {residual_name};
  } else if (state.in_parts) {
    chain.complete = {scatter, sum, gather};
  } else {
    chain.complete = {sum};
  }
  return chain;
}

}  // namespace ddlbench::strategies
