#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/ops/optimizer.h"
#include "program/plan.h"
#include "strategies/passes/layout.h"
#include "strategies/passes/partition.h"

namespace ddlbench::strategies {

/// A value that lies in its bucket's buffer while that is there.
struct BucketPlace {
  std::size_t bucket = 0;
  std::int64_t offset = 0;  ///< bytes
  std::int64_t bytes = 0;
};

/// The persistent buffers of one role: flat, dense, unpadded; tensors are views of them.
class Storage {
 public:
  /// Parameters, inputs and metrics that the steps of the role use, and with `optimizer` gradients and its
  /// states. Buffers are appended to `program`; the first ones are the same with and without optimizer.
  Storage(const ShardedGraph& sharded, const StageMap& stages, const RolePosition& position, const FlatLayout& layout,
          const Shards& shards, const graph::Optimizer* optimizer, program::Program& program);

  /// Where a value lies if it is persistent (parameter, input, gradient, metric); else an empty view.
  program::View view_of(ValueId value, int microbatch) const;
  /// Of a parameter or gradient whose shard alone is persistent; nullptr for all others.
  const BucketPlace* place_of(ValueId value) const;
  /// Written by every micro-batch in turn: the first writes, the others add.
  bool accumulates(ValueId value) const { return accumulated_.count(value) > 0; }
  /// The gradient of a parameter of the layout.
  ValueId gradient(std::size_t parameter) const { return gradients_[parameter]; }

  program::BufferId parameter_buffer() const { return parameter_buffer_; }
  program::BufferId gradient_buffer() const { return gradient_buffer_; }
  const std::vector<program::BufferId>& state_buffers() const { return state_buffers_; }

  const std::vector<program::StateShard>& state() const { return state_; }
  const std::map<program::BufferId, std::vector<program::Segment>>& shards() const { return sharded_buffers_; }

 private:
  void add_parameters(const ShardedGraph& sharded, program::Program& program);
  void add_inputs(const ShardedGraph& sharded, const StageMap& stages, const RolePosition& position,
                  program::Program& program);
  void add_metrics(const ShardedGraph& sharded, const StageMap& stages, const RolePosition& position,
                   program::Program& program);
  void add_training_state(const ShardedGraph& sharded, const graph::Optimizer& optimizer, program::Program& program);

  /// A flat buffer of all parameters' size, or of their shards'.
  program::BufferId add_flat(const ShardedGraph& sharded, program::Program& program, const std::string& name,
                             program::MemoryClass memory_class, bool sharded_buffer, const std::string& suffix);
  void settle(ValueId value, std::size_t parameter, program::BufferId buffer, bool sharded_buffer);

  const FlatLayout& layout_;
  const Shards& shards_;
  program::BufferId parameter_buffer_ = program::none;
  program::BufferId gradient_buffer_ = program::none;
  std::vector<program::BufferId> state_buffers_;
  std::vector<ValueId> gradients_;
  std::map<ValueId, program::View> views_;  ///< of micro-batch 0
  std::map<ValueId, BucketPlace> places_;
  std::map<ValueId, std::int64_t> microbatch_strides_;  ///< bytes, of inputs
  std::map<ValueId, bool> accumulated_;
  std::vector<program::StateShard> state_;
  std::map<program::BufferId, std::vector<program::Segment>> sharded_buffers_;
};

}  // namespace ddlbench::strategies
