#pragma once

#include <string>
#include <utility>

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
