#pragma once

#include <optional>
#include <vector>

#include "strategies/passes/clock.h"

namespace ddlbench::strategies {

/// When each piece of work of a chain of stages ends, as a schedule is built in virtual time.
class ChainTimes {
 public:
  explicit ChainTimes(const Pipeline& pipeline)
      : pipeline_(pipeline), ends_(static_cast<std::size_t>(3 * pipeline.stages() * pipeline.microbatches), not_yet) {}

  /// Returns when the work could begin on a rank that is free at `free`; nothing while what it needs has not been run.
  std::optional<double> ready(const Work& work, int rank, double free) const;
  /// Returns when the work, begun at `begin`, ends.
  double run(const Work& work, int rank, double begin);

 private:
  static constexpr double not_yet = -1;

  std::size_t index(graph::Phase phase, int stage, int microbatch) const {
    return static_cast<std::size_t>((static_cast<int>(phase) * pipeline_.stages() + stage) * pipeline_.microbatches +
                                    microbatch);
  }

  const Pipeline& pipeline_;
  std::vector<double> ends_;
};

}  // namespace ddlbench::strategies
