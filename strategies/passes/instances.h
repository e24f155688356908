#pragma once

#include <map>
#include <string>
#include <utility>

#include "strategies/passes/storage.h"

namespace ddlbench::strategies {

/// Where each value of each micro-batch lies on one rank: in persistent storage, in its bucket's buffer, or
/// in a transient buffer made when it is first written.
class Instances {
 public:
  Instances(const ShardedGraph& sharded, const RolePosition& position, const Storage& storage,
            program::Program& program);

  /// Throws ContractError where it was not made.
  program::Operand at(ValueId value, int microbatch) const;
  /// Makes it, replacing an earlier one (recomputation writes anew).
  program::Operand make(ValueId value, int microbatch);
  /// Makes it at the memory of another value: a view, or a collective in place.
  program::Operand alias(ValueId value, ValueId source, int microbatch);
  /// A transient buffer around a collective.
  program::Operand staging(const std::string& name, const graph::TensorType& type);

  /// The whole of a bucket whose gradients are sharded, as micro-batch `microbatch` makes it.
  void open_gradients(std::size_t bucket, int microbatch, const program::View& whole);
  bool has_gradients(std::size_t bucket, int microbatch) const { return gradients_.count({bucket, microbatch}) > 0; }
  /// The whole of a bucket whose parameters are sharded, as what comes next uses it.
  void use_parameters(std::size_t bucket, const program::View& whole) { parameters_[bucket] = whole; }

  graph::TensorType local_type(ValueId value) const;

 private:
  /// An empty view where the value lies neither in persistent storage nor in a bucket.
  program::View settled(ValueId value, int microbatch) const;

  const ShardedGraph& sharded_;
  std::vector<int> coordinates_;
  const Storage& storage_;
  program::Program& program_;
  std::map<std::pair<ValueId, int>, program::View> views_;
  std::map<std::pair<std::size_t, int>, program::View> gradients_;  ///< by bucket and micro-batch
  std::map<std::size_t, program::View> parameters_;                 ///< by bucket
};

}  // namespace ddlbench::strategies
