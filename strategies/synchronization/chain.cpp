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
  const auto sum = stage<Sum>(), scatter = stage<Scatter>(state.axis), update = stage<Update>();
  BucketChain chain;
  chain.update = {update};
  if (state.states() && !state.parameters()) chain.update.push_back(stage<GatherParameters>(state.axis));
  if (state.gradients()) {
    chain.each_microbatch = {scatter, sum};
    chain.complete = {sum};
  } else if (state.states()) {
    chain.complete = {scatter, sum};
  } else if (state.in_parts) {
    chain.complete = {scatter, sum, stage<Gather>(state.axis)};
  } else {
    chain.complete = {sum};
  }
  return chain;
}

}  // namespace ddlbench::strategies
