#pragma once

#include <map>
#include <memory>
#include <vector>

#include "strategies/passes/cycles.h"
#include "strategies/passes/synchronizer.h"
#include "strategies/synchronization/bucket_stage.h"

namespace ddlbench::strategies {

/// Runs the chain of stages of each bucket of one role at the right time: when its gradients are complete, when all
/// buckets are. Tied parameters come last, because their other holders may be far behind. Where the optimizer needs
/// norms, they are computed before the updates.
class ChainSynchronizer final : public Synchronizer {
 public:
  /// `microbatches`: of those it is told about, with which a gradient is complete. `overlap`: a bucket is complete as
  /// soon as its last gradient is ready, else at the end. With `cycles` (which may be null) it is complete when the
  /// cycle of its gradients has been negotiated. The references and `cycles` must outlive the object.
  ChainSynchronizer(const BucketContext& in, const BucketChain& chain, bool overlap, const Cycles* cycles,
                    int microbatches);

  void begin() override;
  void begin_op() override;
  void prepare(ValueId value, int microbatch) override;
  void made(ValueId value, int microbatch) override;
  void finish() override;

 private:
  struct Progress {
    std::map<int, std::size_t> made;              ///< gradients by micro-batch
    std::size_t complete = 0;                     ///< micro-batches
    std::size_t reduced = 0;                      ///< micro-batches whose stages have run
    bool settled = false;                         ///< the gradient is final
    program::Operand gradient = {};               ///< once it is final
    program::Operand norms = {};                  ///< of the bucket's tensors
    std::vector<program::Operand> received = {};  ///< by the stages of the begin
  };

  const Bucket& bucket(std::size_t index) const { return in_.layout.buckets[index]; }
  int last_microbatch() const { return in_.position.microbatches - 1; }
  bool complete(std::size_t index) const;
  BucketSite site(std::size_t index, int microbatch) const;
  void negotiate();
  void settle_complete();
  void run_microbatch(std::size_t index, int microbatch);
  void settle(std::size_t index);
  void update(std::size_t index);

  const BucketContext& in_;
  const BucketChain& chain_;
  bool overlap_;
  const Cycles* cycles_;
  std::size_t microbatches_;
  std::size_t negotiated_ = 0;  ///< cycles
  program::Operand marks_;      ///< of all cycles
  std::size_t begun_ = 0;       ///< ops of layers
  std::map<ValueId, std::size_t> bucket_of_;
  std::vector<Progress> progress_;
};

}  // namespace ddlbench::strategies
