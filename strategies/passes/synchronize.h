#pragma once

#include <map>
#include <vector>

#include "strategies/passes/instances.h"
#include "strategies/passes/writer.h"

namespace ddlbench::strategies {

/// Brings the replicas of one role's parameters into step, bucket by bucket: sums gradients over the axes
/// that they are partial over and over the holders of tied parameters, updates, and with shards gives every
/// rank its part of the sums and all ranks the parameters that each has updated. Tied parameters come after
/// all else: their other holders may be far behind. Where the optimizer asks for norms they are made in between: every
/// element counts once, whoever holds it.
class Synchronizer {
 public:
  /// `overlap`: a bucket is reduced as soon as its last gradient is there, else at the end. (Sharded gradients
  /// are reduced at once for each micro-batch: to keep them would be to keep them whole.)
  Synchronizer(const FlatLayout& layout, const Storage& storage, const Shards& shards, const RolePosition& position,
               const graph::Optimizer& optimizer, bool overlap, Instances& instances, Writer& writer);

  /// Before an op that makes a value: sharded gradients get a buffer for their bucket.
  void prepare(ValueId value, int microbatch);
  /// After it: what has become complete is reduced.
  void made(ValueId value, int microbatch);
  /// What is left to reduce, the updates, and the gathering of updated parameters.
  void finish();

 private:
  struct Progress {
    std::map<int, std::size_t> made;  ///< gradients by micro-batch
    std::size_t complete = 0;         ///< micro-batches
    std::size_t reduced = 0;          ///< calls so far
    bool settled = false;             ///< nothing is left to reduce
  };

  const Bucket& bucket(std::size_t index) const { return layout_.buckets[index]; }
  bool complete(std::size_t index) const;
  program::Operand own_gradient(std::size_t index) const;
  program::Operand own_parameters(std::size_t index) const;  ///< the masters, where there are some
  graph::UpdateSite site_of(std::size_t index) const;
  bool counts_norm_of(std::size_t index) const;
  void append(const std::string& what, std::size_t index, program::Action action, program::Phase phase, int microbatch);
  void all_reduce(std::size_t index, std::vector<std::string> axes, bool over_holders, const program::Operand& operand,
                  int microbatch);
  void scatter(std::size_t index, const program::Operand& whole, const program::Operand& part, int microbatch);
  void reduce_microbatch(std::size_t index, int microbatch);
  void reduce(std::size_t index);
  void add_up_norm();
  void follow_with_scale();
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
  std::map<std::size_t, program::Operand> norms_;  ///< by tensor, of each bucket
};

}  // namespace ddlbench::strategies
