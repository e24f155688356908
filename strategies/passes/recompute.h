#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strategies/passes/lower.h"
#include "strategies/passes/stage_map.h"

namespace ddlbench::strategies {

/// Which forward results are dropped, and recomputed in backward.
struct Recomputation {
  enum class Kind : unsigned char {
    none,
    /// In a pipeline: everything but the inputs of a stage (torchgpipe). Otherwise the forward pass is cut into parts,
    /// at points that a single tensor passes, and only the inputs of the parts are kept (Chen et al. 2016). The number
    /// of parts minimises the sum of the kept inputs and the largest part. What follows the last cut is kept.
    full,
    selective,  ///< the results of some kinds of op (Korthikanti et al. 2022)
  };
  Kind kind = Kind::none;
  std::vector<std::string> ops = {};      ///< for selective: "gelu", "layer_norm"
  std::vector<std::int64_t> stages = {};  ///< of the model, of whose results it drops some; empty: all

  bool applies_to(int stage) const;
  /// Returns whether the results of some ops of `kind` are dropped in the stages to which it applies.
  bool drops(std::string_view op_kind) const;
};

/// Returns, by step, whether its results are dropped after forward. A result that shares the memory of its input is
/// dropped with that.
std::vector<bool> dropped_steps(const ShardedGraph& sharded, const Recomputation& recomputation,
                                const StageMap& stages);

/// Returns the forward steps of one stage without those that are dropped and whose results only backward steps of that
/// stage use: backward recomputes them anyway. For example, a fused linear cross-entropy runs in the backward pass, so
/// the forward steps that only feed it need not run in forward. A separate backward_weight recomputes nothing. It reads
/// what backward_input recomputed: that includes all that is left out here, because the results lead to an op of
/// backward_input. What it reads of the other steps is kept.
std::vector<int> needed_in_forward(const ShardedGraph& sharded, const StageMap& stages,
                                   const std::vector<bool>& dropped, const std::vector<int>& steps);

/// A step of a piece of work; `again`: a forward step that is recomputed in backward.
struct PlacedStep {
  int step = graph::absent;
  bool again = false;
};

/// Returns `backward_steps`, each preceded by the dropped steps of its stage that it needs and that have not been
/// recomputed yet: recomputation happens as late as possible.
std::vector<PlacedStep> with_recomputation(const ShardedGraph& sharded, const StageMap& stages,
                                           const std::vector<bool>& dropped, const std::vector<int>& backward_steps);

}  // namespace ddlbench::strategies
