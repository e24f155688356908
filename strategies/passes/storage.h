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
  graph::Extent elements;  ///< of the bucket
};

/// The persistent buffers of one role: flat, dense, unpadded; tensors are views of them. Where gradients are not kept
/// each bucket's have a transient buffer, the last of all.
class Storage {
 public:
  /// Parameters, statistics, inputs and metrics that the steps of the role use, and with `optimizer` gradients, its
  /// states (f32 masters first, where parameters are used in 16 bits), what is observed for statistics, and what says
  /// which samples there are. Buffers are appended to `program`; the first ones are the same with and without
  /// optimizer.
  Storage(const ShardedGraph& sharded, const StageMap& stages, const RolePosition& position, const FlatLayout& layout,
          const Shards& shards, const graph::Optimizer* optimizer, program::Program& program);

  /// Where a value lies if it is persistent (parameter, input, gradient, metric); else an empty view.
  program::View view_of(ValueId value, int microbatch) const;
  /// Of a parameter or gradient whose shard alone is persistent; nullptr for all others.
  const BucketPlace* place_of(ValueId value) const;
  /// Written by every micro-batch in turn: the first writes, the others add.
  bool accumulates(ValueId value) const { return accumulated_.count(value) > 0; }
  /// The gradient of a parameter of the layout.
  ValueId gradient(std::size_t parameter) const { return gradient_values_[parameter]; }

  const FlatBuffer& parameters() const { return parameters_; }
  const FlatBuffer& gradients() const { return gradients_; }  ///< no buffer, where they are not kept
  /// All of a bucket's, where they are not kept.
  const program::Operand& passing_gradients(std::size_t bucket) const { return passing_gradients_[bucket]; }
  const FlatBuffer* masters() const { return masters_.id == program::none ? nullptr : &masters_; }
  const std::vector<FlatBuffer>& states() const { return states_; }
  const FlatBuffer& statistics() const { return statistics_; }
  const FlatBuffer& observed() const { return observed_; }
  /// f32[1], where the optimizer's guard asks for the norm of all gradients.
  const program::Operand& squared_norm() const { return squared_norm_; }
  /// The scaler among the scalars, where the optimizer skips what overflows.
  const program::Operand& scaler() const { return scaler_; }

  const std::vector<program::StateShard>& state() const { return state_; }
  const std::map<program::BufferId, std::vector<program::Segment>>& shards() const { return sharded_buffers_; }

 private:
  void add_parameters(const ShardedGraph& sharded);
  void add_statistics(const ShardedGraph& sharded);
  /// The sources of one role.
  void add_inputs(const ShardedGraph& sharded, const StageMap& stages, const RolePosition& position, graph::Role role);
  void add_metrics(const ShardedGraph& sharded, const StageMap& stages, const RolePosition& position);
  void add_training_state(const ShardedGraph& sharded, const graph::Optimizer& optimizer);
  void add_passing_gradients(const ShardedGraph& sharded);
  void add_observed();
  void add_squared_norm(const RolePosition& position);
  void add_scaler(const graph::LossScaling& scaling);

  /// A flat buffer of all parameters' size, or of their shards'.
  FlatBuffer add_flat(const ShardedGraph& sharded, const std::string& name, program::MemoryClass memory_class,
                      graph::DType dtype, bool is_sharded, const std::string& suffix, bool drawn);
  /// Of a state that has a parameter's elements.
  program::StateShard& add_shard(const ShardedGraph& sharded, const FlatParameter& parameter,
                                 program::MemoryClass memory_class, const program::Operand& elements);
  void settle(ValueId value, std::size_t parameter, const FlatBuffer& buffer);
  program::BufferId add_buffer(std::string name, program::MemoryClass memory_class, std::int64_t bytes,
                               bool persistent = true);

  program::Program& program_;
  const FlatLayout& layout_;
  const Shards& shards_;
  FlatBuffer parameters_, gradients_, masters_, statistics_, observed_;
  std::vector<FlatBuffer> states_;
  program::Operand squared_norm_, scaler_;
  std::vector<program::Operand> passing_gradients_;  ///< by bucket
  std::vector<ValueId> gradient_values_;
  std::map<ValueId, program::View> views_;  ///< of micro-batch 0
  std::map<ValueId, BucketPlace> places_;
  std::map<ValueId, std::int64_t> microbatch_strides_;  ///< bytes, of inputs
  std::map<ValueId, bool> accumulated_;
  std::vector<program::StateShard> state_;
  std::map<program::BufferId, std::vector<program::Segment>> sharded_buffers_;
};

}  // namespace ddlbench::strategies
