#pragma once

#include <array>
#include <compare>
#include <map>
#include <set>
#include <vector>

#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {

inline constexpr std::array phases{graph::Phase::forward, graph::Phase::backward_input, graph::Phase::backward_weight};

bool covers(Work::Kind kind, graph::Phase phase);

/// A phase of a stage, as producer or consumer of values.
struct StagePhase {
  int stage = 0;
  graph::Phase phase = graph::Phase::forward;
  auto operator<=>(const StagePhase&) const = default;
};

/// For each phase of a stage, the phases of stages whose values it reads.
using Needs = std::map<StagePhase, std::set<StagePhase>>;

/// Returns the needs of stages that only send to their neighbours in the same copy of the model.
Needs needs_of_chain(const Pipeline& pipeline);

struct TimedWork {
  Work work;
  int stage = 0;  ///< of the model
  double begin = 0;
  double end = 0;
};

/// Returns whether the backward pass `works[index]` comes directly after the forward pass of the same micro-batch.
bool follows_own_forward(const std::vector<TimedWork>& works, std::size_t index);

/// Runs the orders of all ranks of a pipeline side by side in virtual time, with the durations of its StageCosts. A
/// message delays what needs it, and occupies nobody.
class Clock {
 public:
  /// Runs only forward work unless `training`. Throws ContractError that names the rank and the entry of its order
  /// unless the schedule runs each phase of each chunk once for each micro-batch of its copy of the model, and none
  /// waits for itself.
  Clock(const Needs& needs, const Pipeline& pipeline, const Schedule& schedule, bool training = true);

  const std::vector<std::vector<TimedWork>>& works() const { return works_; }  ///< by rank
  /// Returns when a phase of a micro-batch ends.
  double end(StagePhase part, int microbatch) const;

 private:
  bool start(TimedWork& timed, int rank, double free);

  const Needs& needs_;
  const Pipeline& pipeline_;
  std::vector<std::vector<TimedWork>> works_;
  std::map<StagePhase, std::vector<double>> ends_;  ///< by micro-batch
};

}  // namespace ddlbench::strategies
