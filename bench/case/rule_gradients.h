#pragma once

#include <memory>
#include <vector>

#include "bench/case/replayed_low_rank.h"
#include "graph/scalars.h"
#include "kernels/device.h"
#include "program/update_rule.h"
#include "runtime/state.h"

namespace ddlbench::bench {

/// Makes the gradients of updates by a rule.
class RuleGradients {
 public:
  /// `dtype` is the type of gradients. `rule` must outlive the object.
  RuleGradients(const program::UpdateRule& rule, graph::DType dtype);

  /// Adds the gradients of the next part of a batch: of the next rank, or of the next rank in a micro-batch. `scalars`
  /// are those of the step. What a codec with feedback loses is kept for the same part of the next batch. Throws
  /// ContractError if the rule does not cover every element once.
  void add(const runtime::Tensors& gradients, graph::Scalars scalars);
  /// Returns the gradients with which a step updates, of the parts that were added since the last call.
  runtime::Tensors take(const graph::Scalars& scalars);

 private:
  using Values = std::vector<float>;

  /// Returns what decode makes of the payload of `values`.
  Values coded(const program::BucketRule& bucket, bool is_sum, const Values& values, const graph::Scalars& scalars,
               Values* residual);

  const program::UpdateRule& rule_;
  graph::DType dtype_;
  std::unique_ptr<kernels::Device> device_;
  bool is_covered_ = false;                                     ///< the rule was compared with gradients
  std::size_t part_ = 0;                                        ///< the next part of the batch
  std::vector<Values> sums_;                                    ///< by bucket
  std::vector<std::vector<Values>> residuals_;                  ///< by bucket and part of the batch
  std::vector<std::vector<Values>> velocities_;                 ///< likewise
  std::vector<std::unique_ptr<ReplayedLowRank>> approximated_;  ///< by bucket; null: it is not
};

}  // namespace ddlbench::bench
