#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/ops/low_rank.h"
#include "program/cadence.h"
#include "program/program.h"

namespace ddlbench::program {

/// Elements of a parameter's gradient, in the device's order.
struct GradientElements {
  std::string tensor;
  graph::Extent elements;
};

/// The gradients of a bucket become P̂Qᵀ of the ranks' sum (graph/ops/low_rank.h), with residuals.
struct LowRankRule {
  graph::LowRankLayout layout;
  std::vector<StateShard> factors;  ///< Q before the first step, of each matrix, without views
};

/// How the gradients of the data-parallel ranks become the gradient of an update, for elements that are encoded
/// together. With `momentum`, each rank encodes its velocity instead of its gradient: momentum · what it was, plus the
/// gradient. It then becomes 0 where nothing remains to be sent. `encode` and `decode` are graph::Encode and
/// graph::Decode of all elements and one payload.
struct BucketRule {
  std::vector<GradientElements> parts;  ///< in the order in which they are encoded
  graph::OpPtr encode, decode;          ///< of the gradient of each rank, before the sum; null: it is summed as it is
  double momentum = 0;
  graph::OpPtr encode_sum, decode_sum;       ///< of the sum; null: it is used as it is
  std::optional<LowRankRule> low_rank = {};  ///< instead of all the above
};

/// A square matrix, by rows.
using Matrix = std::vector<std::vector<double>>;

/// What a kind of step does where each rank has weights of its own.
struct CopiesStep {
  /// Every rank updates with the gradient of all samples; otherwise with the mean over its own.
  bool sums_gradients = false;
  bool mixes_first = false;  ///< weights are mixed before the update, instead of after it
  /// What the weights of each rank, and then each auxiliary, become: a sum of what they were. Empty: they stay.
  Matrix weights = {};
  Matrix states = {};  ///< the same for the states of the optimizer, of ranks only
};

/// What one kind of step does.
struct StepRule {
  std::vector<BucketRule> buckets;  ///< cover every element of every gradient once; the same elements in all kinds
  CopiesStep copies = {};           ///< with own weights
};

/// What a strategy that is not exact promises: each rank computes the gradient of its own part of every micro-batch,
/// from weights that are equal on all ranks, or from weights and optimizer states of its own, which begin with equal
/// values. The gradient of each rank, or that of each of its micro-batches, becomes decode(encode(…)) of it; the update
/// uses the sum of all, in the order of the ranks, which may be encoded and decoded again. The rule says so without any
/// program, so that a one-rank run can be held against it (bench/case/replay.h).
struct UpdateRule {
  int ranks = 1;                 ///< that have different samples
  bool each_microbatch = false;  ///< the gradients of micro-batches are encoded apart
  bool own_weights = false;
  Cadence cadence = {};
  std::vector<StepRule> steps;  ///< by body of the cadence
  /// With own weights: whether each auxiliary begins with the initial weights; otherwise it begins with 0. An auxiliary
  /// has a value for each weight, which is the same on all ranks.
  std::vector<bool> auxiliaries = {};
  /// The gradient of a step is computed from older weights: those of each parameter as they were this number of updates
  /// before, or at the last prologue, if that came later. The other members then say nothing: all samples are of one
  /// rank, and the sum of their gradients is used as it is.
  std::map<std::string, std::int64_t> delays = {};
  bool delays_forward_only = false;  ///< backward passes use the newest weights, unless `corrects`
  /// Forward passes predict these from their older weights: w − delay · learning rate · momentum, whose state is
  /// "PARAMETER.momentum".
  bool predicts = false;
  /// Backward passes use w − delay · δ in place of the newest weights w, where δ begins with 0 and each update, which
  /// changes w by Δ, makes it γδ + (1 − γ)Δ, γ = correction_decay^(1 / delay).
  bool corrects = false;
  double correction_decay = 0;
  std::int64_t rate_steps = 0;  ///< DelayedRate::steps of all parameters

  const StepRule& of(std::int64_t step) const { return steps.at(static_cast<std::size_t>(cadence.body(step))); }
};

}  // namespace ddlbench::program
