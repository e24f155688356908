#pragma once

#include <string>
#include <utility>

#include "graph/ops/codecs/kind.h"
#include "strategies/synchronization/bucket_stage.h"

namespace ddlbench::strategies {

/// All-reduces the gradient over all axes over which it is still partial, and over the holders of a tied parameter.
struct Sum final : BucketStage {
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
/// what a payload loses is added to the next gradient.
struct EncodedSum final : BucketStage {
  EncodedSum(graph::Codec of, bool has_feedback) : codec(std::move(of)), feedback(has_feedback) {}
  graph::Codec codec;
  bool feedback;
  void run(BucketSite& site) const override;
};

/// The own state (BucketChain::own_states) of EncodedSum with feedback.
inline constexpr const char* residual_name = "residual";

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
