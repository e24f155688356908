#include "strategies/inter_layer/chain_times.h"

#include <algorithm>

namespace ddlbench::strategies {

using graph::Phase;

std::optional<double> ChainTimes::ready(const Work& work, int rank, double free) const {
  const int stage = pipeline_.stage_of(work.chunk, rank);
  double time = free;
  bool complete = true;
  const auto wait_for = [&](Phase phase, int other) {
    const double end = ends_[index(phase, other, work.microbatch)];
    complete = complete && end != not_yet;
    time = std::max(time, end + (pipeline_.rank_of(other) == rank ? 0 : pipeline_.costs.transfer));
  };
  if (work.kind == Work::Kind::forward) {
    if (stage > 0) wait_for(Phase::forward, stage - 1);
  } else if (work.kind == Work::Kind::backward_weight) {
    wait_for(Phase::backward_input, stage);
  } else {
    wait_for(Phase::forward, stage);
    if (stage + 1 < pipeline_.stages()) wait_for(Phase::backward_input, stage + 1);
  }
  return complete ? std::optional(time) : std::nullopt;
}

double ChainTimes::run(const Work& work, int rank, double begin) {
  const int stage = pipeline_.stage_of(work.chunk, rank);
  double end = begin;
  for (const Phase phase : phases)
    if (covers(work.kind, phase)) end += pipeline_.costs.of(stage, phase);
  for (const Phase phase : phases)
    if (covers(work.kind, phase)) ends_[index(phase, stage, work.microbatch)] = end;
  return end;
}

}  // namespace ddlbench::strategies
