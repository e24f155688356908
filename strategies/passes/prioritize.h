#pragma once

#include <map>
#include <vector>

#include "strategies/passes/slice_order.h"
#include "strategies/passes/synchronizer.h"
#include "strategies/synchronization/bucket_stage.h"

namespace ddlbench::strategies {

/// Sums gradients in the order of `order`: some during the backward pass, the others in the next step, which updates
/// the parameters just before it reads them.
class PrioritySynchronizer final : public Synchronizer {
 public:
  /// The references must outlive the object.
  PrioritySynchronizer(const BucketContext& in, const BucketChain& chain, const SliceOrder& order);

  void begin() override;
  void begin_op() override;
  void before_read(graph::TensorId tensor) override;
  void finish() override;

 private:
  void sum_until(std::size_t ops);
  void update_outdated(std::size_t bucket);

  const BucketContext& in_;
  const BucketChain& chain_;
  const SliceOrder& order_;
  std::map<graph::TensorId, std::size_t> bucket_of_;  ///< of each parameter
  std::vector<bool> outdated_;                        ///< buckets that this step must still update
  std::size_t summed_ = 0;                            ///< slices of `in_backward`
  std::size_t begun_ = 0;                             ///< ops of layers
};

/// Appends what the last step leaves: its other sums, and all updates.
void append_rest(const BucketContext& in, const BucketChain& chain, const SliceOrder& order);

}  // namespace ddlbench::strategies
