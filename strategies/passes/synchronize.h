#pragma once

#include <map>
#include <vector>

#include "strategies/passes/instances.h"
#include "strategies/passes/writer.h"

namespace ddlbench::strategies {

/// Synchronises the replicas of one role's parameters, bucket by bucket. It sums gradients over the axes over which
/// they are partial and over the holders of tied parameters, then updates the parameters. With shards, it
/// reduce-scatters the gradients and all-gathers the updated parameters. Tied parameters come last, because their other
/// holders may be far behind. Where the optimizer needs norms, they are computed before the updates, and every element
/// counts once, however many ranks hold it.
class Synchronizer {
 public:
  /// `overlap`: a bucket is reduced as soon as its last gradient is ready, else at the end. Sharded gradients are
  /// always reduced at once for each micro-batch: keeping them until the end would need memory for whole gradients.
  Synchronizer(const FlatLayout& layout, const Storage& storage, const Shards& shards, const RolePosition& position,
               const graph::Optimizer& optimizer, bool overlap, Instances& instances, Writer& writer);

  /// Call before an op that computes `value`: creates the bucket's buffer for a sharded gradient.
  void prepare(ValueId value, int microbatch);
  /// Call after that op: reduces the buckets that are now complete.
  void made(ValueId value, int microbatch);
  /// Emits the remaining reductions, the updates, and the gathers of updated parameters.
  void finish();

 private:
  struct Progress {
    std::map<int, std::size_t> made;  ///< gradients by micro-batch
    std::size_t complete = 0;         ///< micro-batches
    std::size_t reduced = 0;          ///< reduced micro-batches so far, of sharded gradients
    bool settled = false;             ///< all reductions are done
  };

  const Bucket& bucket(std::size_t index) const { return layout_.buckets[index]; }
  bool complete(std::size_t index) const;
  program::Operand own_gradient(std::size_t index) const;
  program::Operand own_parameters(std::size_t index) const;  ///< the masters, if any
  graph::UpdateSite site_of(std::size_t index) const;
  bool counts_norm_of(std::size_t index) const;
  void append(const std::string& what, std::size_t index, program::Action action, program::Phase phase, int microbatch);
  void all_reduce(std::size_t index, std::vector<std::string> axes, bool over_holders, const program::Operand& operand,
                  int microbatch);
  void scatter(std::size_t index, const program::Operand& whole, const program::Operand& part, int microbatch);
  void reduce_microbatch(std::size_t index, int microbatch);
  void reduce(std::size_t index);
  void compute_global_norm();
  void update_loss_scale();
  void measure(std::size_t index);
  void update(std::size_t index);
  void gather(std::size_t index);

  const FlatLayout& layout_;
  const Storage& storage_;
  const Shards& shards_;
  const RolePosition& position_;
  const graph::Optimizer& optimizer_;
  bool overlap_;
  Instances& instances_;
  Writer& writer_;
  std::map<ValueId, std::size_t> bucket_of_;
  std::vector<Progress> progress_;
  std::map<std::size_t, program::Operand> norms_;  ///< norms by tensor, for each bucket
};

}  // namespace ddlbench::strategies
