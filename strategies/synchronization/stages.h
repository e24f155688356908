#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graph/ops/codecs/kind.h"
#include "strategies/synchronization/bucket_stage.h"

namespace ddlbench::strategies {

/// All-reduces the gradient over all axes over which it is still partial, and over the holders of a tied parameter.
/// With `in_turn`, it does so in turn (CollectiveCall::in_turn).
struct Sum final : BucketStage {
  explicit Sum(bool turns) : in_turn(turns) {}
  bool in_turn;
  void run(BucketSite& site) const override;
};

/// Reduce-scatters the gradient over `axis`: what remains is this rank's part.
struct Scatter final : BucketStage {
  explicit Scatter(std::string over) : axis(std::move(over)) {}
  std::string axis;
  void run(BucketSite& site) const override;
};

/// All-gathers the parts of the gradient over `axis`. Undoes Scatter.
struct Gather final : BucketStage {
  explicit Gather(std::string over) : axis(std::move(over)) {}
  std::string axis;
  void run(BucketSite& site) const override;
};

/// Like Scatter, but ranks send each other their gradients as `wire`, 16-bit numbers, and each sums its part in f32, in
/// the order of the ranks.
struct WireScatter final : BucketStage {
  WireScatter(std::string over, graph::DType dtype) : axis(std::move(over)), wire(dtype) {}
  std::string axis;
  graph::DType wire;
  void run(BucketSite& site) const override;
};

/// Like Gather, but ranks send each other their parts as `wire`.
struct WireGather final : BucketStage {
  WireGather(std::string over, graph::DType dtype) : axis(std::move(over)), wire(dtype) {}
  std::string axis;
  graph::DType wire;
  void run(BucketSite& site) const override;
};

/// Sums the gradient over all axes over which it is still partial, by payloads: each rank encodes its whole gradient
/// and gathers the payloads of all ranks, and sums what they decode to, in the order of the ranks. With `feedback`,
/// what a payload loses is added to the next gradient. With `momentum`, ranks encode their velocity instead of their
/// gradient, and what a payload has sent of it begins again at 0 (Lin et al. 2018: momentum correction and momentum
/// factor masking). Then the codec must send elements exactly.
struct EncodedSum final : BucketStage {
  EncodedSum(graph::Codec of, bool has_feedback, double m)
      : codec(std::move(of)), feedback(has_feedback), momentum(m) {}
  graph::Codec codec;
  bool feedback;
  double momentum;
  void run(BucketSite& site) const override;
};

/// Sums the gradient over all axes over which it is still partial by PowerSGD (graph/ops/low_rank.h): all-reduces P of
/// the bucket's matrices together with its vectors, and then Q. What the approximation loses is added to the next
/// gradient, and Q is kept for the next step.
struct LowRankSum final : BucketStage {
  explicit LowRankSum(int rank) : approximation_rank(rank) {}
  int approximation_rank;
  void run(BucketSite& site) const override;
};

/// The own state (BucketChain::states) of EncodedSum with feedback, and of LowRankSum.
inline constexpr const char* residual_name = "residual";
/// That of EncodedSum with momentum.
inline constexpr const char* velocity_name = "velocity";

/// Makes the gradient of this rank's samples the one that updates: the mean over these, instead of their share of the
/// mean over all.
struct LocalGradient final : BucketStage {
  void run(BucketSite& site) const override;
};

/// Replaces the parameters by their mean over the ranks that have different samples, and, if told, the states of the
/// optimizer.
struct MeanParameters final : BucketStage {
  explicit MeanParameters(bool with_states) : states(with_states) {}
  bool states;
  void run(BucketSite& site) const override;
};

/// Block-wise model-update filtering (Chen & Huo 2016): with the mean m of the ranks' parameters, the global parameters
/// g and their change d, d ← momentum · d + rate · (m − g), g ← g + d. The ranks continue from g, or with `nesterov`
/// from g + momentum · d.
struct BlockMomentum final : BucketStage {
  BlockMomentum(double m, double r, bool n) : momentum(m), rate(r), nesterov(n) {}
  double momentum, rate;
  bool nesterov;
  void run(BucketSite& site) const override;
};

/// The states of BlockMomentum, equal on all ranks.
inline constexpr const char *global_name = "global", *change_name = "change";

/// Synchronous elastic averaging (Zhang, Choromanska & LeCun 2015): with the mean m of the ranks' parameters x and the
/// center c, x ← x − strength / ranks · (x − c) and c ← c + strength · (m − c), both from the values before.
struct ElasticAverage final : BucketStage {
  explicit ElasticAverage(double s) : strength(s) {}
  double strength;
  void run(BucketSite& site) const override;
};

/// The state of ElasticAverage, equal on all ranks.
inline constexpr const char* center_name = "center";

/// Sends the parameters to the ranks at `distances` on the data axis, modulo its size, and receives those of the ranks
/// from which this one has the same distances.
struct ExchangeParameters final : BucketStage {
  explicit ExchangeParameters(std::vector<int> d) : distances(std::move(d)) {}
  std::vector<int> distances;
  void run(BucketSite& site) const override;
};

/// Replaces the parameters by the mean of them and the received ones.
struct MixParameters final : BucketStage {
  void run(BucketSite& site) const override;
};

/// Writes the parameters that the forward passes of this step use, where these are predicted
/// (Instances::estimate): w − updates · learning rate · momentum, as if the gradients of all updates until the backward
/// pass were such that the momentum stays (Chen, Yang & Cheng 2018).
struct PredictParameters final : BucketStage {
  void run(BucketSite& site) const override;
};

/// Writes the parameters that the backward passes of this step use, where these are corrected (Instances::estimate):
/// w − updates · δ, an estimate of those of their forward passes (Yang et al. 2021), where δ is the mean change.
struct CorrectParameters final : BucketStage {
  void run(BucketSite& site) const override;
};

/// The state of CorrectParameters, δ.
inline constexpr const char* mean_change_name = "mean_change";

/// Two halves of a moving mean over the updates by which the forward passes of a rank are behind: before the update,
/// δ ← γδ − (1 − γ)w, and after it, δ ← δ + (1 − γ)w, with γ = decay^(1 / updates). Nothing where δ is not read.
struct MeanChange final : BucketStage {
  MeanChange(double d, bool before) : decay(d), before_update(before) {}
  double decay;
  bool before_update;
  void run(BucketSite& site) const override;
};

/// Updates the parameters that this rank owns with the gradient.
struct Update final : BucketStage {
  void run(BucketSite& site) const override;
};

/// All-gathers the updated parameters over `axis`.
struct GatherParameters final : BucketStage {
  explicit GatherParameters(std::string over) : axis(std::move(over)) {}
  std::string axis;
  void run(BucketSite& site) const override;
};

}  // namespace ddlbench::strategies
