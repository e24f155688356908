#pragma once

#include <array>
#include <vector>

#include "graph/graph.h"

namespace ddlbench::strategies {

/// The time that each phase of each stage takes for one micro-batch, and the delay of a message between two ranks, all
/// in the same unit.
struct StageCosts {
  std::vector<std::array<double, 3>> phases;  ///< by stage, then by graph::Phase; empty: 1 each
  double transfer = 0;

  double of(int stage, graph::Phase phase) const {
    return phases.empty() ? 1 : phases[static_cast<std::size_t>(stage)][static_cast<std::size_t>(phase)];
  }
};

}  // namespace ddlbench::strategies
