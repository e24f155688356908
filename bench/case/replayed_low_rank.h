#pragma once

#include <optional>
#include <vector>

#include "bench/case/run_op.h"
#include "program/update_rule.h"

namespace ddlbench::bench {

/// The gradients of a bucket as PowerSGD makes them, with the Q and the residuals of a training.
class ReplayedLowRank {
 public:
  /// `rule` and `device` must outlive the object.
  ReplayedLowRank(const program::LowRankRule& rule, kernels::Device& device) : rule_(rule), device_(device) {}

  /// Adds the gradient of the next part of a batch. Q is drawn with the seed of the first one.
  void add(std::size_t part, const HostTensor& gradient, const graph::Scalars& scalars);
  /// Returns the gradient with which a step updates, of the parts that were added since the last call.
  std::vector<float> take(const graph::Scalars& scalars);

 private:
  HostTensor initial_q(std::uint64_t seed) const;

  const program::LowRankRule& rule_;
  kernels::Device& device_;
  std::optional<HostTensor> q_;
  std::vector<float> sums_;           ///< P and vectors, of the parts so far
  std::vector<HostTensor> of_parts_;  ///< by part: M of those so far, the residual of the others
  std::size_t parts_ = 0;             ///< so far
};

}  // namespace ddlbench::bench
