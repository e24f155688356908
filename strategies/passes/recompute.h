#pragma once

#include <string>
#include <vector>

#include "strategies/passes/lower.h"
#include "strategies/passes/stage_map.h"

namespace ddlbench::strategies {

/// What forward makes that is not kept for backward, but made again there.
struct Recomputation {
  enum class Kind : unsigned char {
    none,
    /// Of a pipeline: all but the inputs of a stage (torchgpipe). Else the forward is cut, where one tensor alone
    /// passes on, into parts of which all but the inputs is dropped (Chen et al. 2016): into so many that what passes
    /// the cuts and the largest part are least together.
    full,
    selective,  ///< the results of some kinds of op (Korthikanti et al. 2022)
  };
  Kind kind = Kind::none;
  std::vector<std::string> ops;  ///< of selective: "gelu", "layer_norm"
};

/// Per step: whether its results are dropped after forward. What lies where its input lies goes with that.
std::vector<bool> dropped_steps(const ShardedGraph& sharded, const Recomputation& recomputation, bool pipeline);

/// A step of a piece of work; `again`: a forward step in backward.
struct PlacedStep {
  int step = graph::absent;
  bool again = false;
};

/// The backward steps given, each after those of its stage that must be run again for it and have not yet been: as late
/// as can be.
std::vector<PlacedStep> with_recomputation(const ShardedGraph& sharded, const StageMap& stages,
                                           const std::vector<bool>& dropped, const std::vector<int>& backward_steps);

}  // namespace ddlbench::strategies
