#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/ops/optimizer.h"
#include "program/plan.h"
#include "strategies/passes/layout.h"
#include "strategies/passes/partition.h"
#include "strategies/passes/writer.h"

namespace ddlbench::strategies {

/// The place of a value in its bucket's buffer, while that exists.
struct BucketPlace {
  std::size_t bucket = 0;
  graph::Extent elements;  ///< within the bucket
};

struct BucketChain;
struct StageState;

/// The persistent buffers of one role: flat, dense, unpadded; tensors are views of them. Where gradients are not kept,
/// each bucket's gradients have a transient buffer, after all others.
class Storage {
 public:
  /// Appends buffers to `program`: parameters, statistics, inputs and metrics that the role's steps use. With
  /// `optimizer` also: gradients, optimizer states (first the f32 masters, where parameters are 16 bits wide),
  /// observations for statistics, the samples' indices, and the states of `chain`. The first buffers are the same with
  /// and without `optimizer`. `own_weights`: ranks have different parameters; evaluation reads their mean, in buffers
  /// of its own, and all state but the scaler differs between ranks.
  Storage(const ShardedGraph& sharded, const StageMap& stages, const RolePosition& position, const FlatLayout& layout,
          const Shards& shards, const graph::Optimizer* optimizer, const BucketChain* chain, bool own_weights,
          program::Program& program);

  /// Returns the view of `value` in these buffers (parameter, statistic, input, gradient, metric); an empty view for
  /// all others and for values of which only a shard is persistent.
  program::View view_of(ValueId value, int microbatch) const;
  /// Returns the place of a parameter or gradient of which only a shard is persistent; nullptr for all others.
  const BucketPlace* place_of(ValueId value) const;
  /// Returns whether micro-batches accumulate in `value`: the first one writes, the others add.
  bool accumulates(ValueId value) const { return accumulated_.count(value) > 0; }
  /// Returns the gradient of the layout's parameter `parameter`.
  ValueId gradient(std::size_t parameter) const { return gradient_values_[parameter]; }

  const FlatBuffer& parameters() const { return parameters_; }
  /// Returns the age of the version of the parameters that the micro-batches of a batch of age `age` use.
  int weight_age(int age) const { return versions_ == 1 || evaluates_ ? 0 : first_weight_age_ + age; }
  /// Returns that of the version that an update writes.
  int written_weight_age() const { return versions_ == 1 ? 0 : -1; }
  /// Appends copies of the newest parameters to all older versions that the first step reads (prologue), or to the
  /// version that a step without update has to write.
  void append_equal_versions(Writer& writer) const;
  void append_kept_version(Writer& writer) const;
  const FlatBuffer& gradients() const { return gradients_; }  ///< no buffer where gradients are not kept
  /// Returns all gradients of a bucket, where gradients are not kept.
  const program::Operand& transient_gradients(std::size_t bucket) const { return transient_gradients_[bucket]; }
  const FlatBuffer* masters() const { return masters_.id == program::none ? nullptr : &masters_; }
  const std::vector<FlatBuffer>& states() const { return states_; }
  const FlatBuffer& stage_state(const std::string& name) const { return stage_states_.at(name); }
  /// Returns Q of all matrices of a bucket, in their order.
  const program::Operand& factors(std::size_t bucket) const { return factors_[bucket]; }
  /// The means of the parameters and statistics of all ranks, where those are different.
  const FlatBuffer& mean_parameters() const { return mean_parameters_; }
  const FlatBuffer& mean_statistics() const { return mean_statistics_; }
  const FlatBuffer& statistics() const { return statistics_; }
  const FlatBuffer& observed() const { return observed_; }
  /// f32[1], where the optimizer's guard needs the norm of all gradients.
  const program::Operand& squared_norm() const { return squared_norm_; }
  /// The loss scaler within the scalars, where the optimizer skips steps that overflow.
  const program::Operand& scaler() const { return scaler_; }

  const std::vector<program::StateShard>& state() const { return state_; }
  const std::map<program::BufferId, std::vector<program::Segment>>& shards() const { return sharded_buffers_; }

 private:
  void add_parameters(const ShardedGraph& sharded, bool reads_mean);
  void add_statistics(const ShardedGraph& sharded, bool reads_mean);
  /// Adds the input slots of the graph inputs of `role`.
  void add_inputs(const ShardedGraph& sharded, const StageMap& stages, const RolePosition& position, graph::Role role);
  void add_metrics(const ShardedGraph& sharded, const StageMap& stages, const RolePosition& position);
  void add_training_state(const ShardedGraph& sharded, const graph::Optimizer& optimizer);
  void add_transient_gradients(const ShardedGraph& sharded);
  void add_stage_states(const ShardedGraph& sharded, const std::vector<StageState>& states);
  void add_factors(const ShardedGraph& sharded, int approximation_rank);
  void add_observed();
  void add_squared_norm(const RolePosition& position);
  void add_scaler(const graph::LossScaling& scaling);

  /// Adds a flat buffer with an element for each parameter element, or for those of the own shards, and its state
  /// shards, named with `suffix`. `drawn`: it begins with the parameters' initial values.
  FlatBuffer add_flat(const ShardedGraph& sharded, const std::string& name, program::MemoryClass memory_class,
                      graph::DType dtype, bool is_sharded, const std::string& suffix, bool drawn);
  /// Adds the state shard of a buffer that has an element for each element of `parameter`.
  program::StateShard& add_shard(const ShardedGraph& sharded, const FlatParameter& parameter,
                                 program::MemoryClass memory_class, const program::Operand& elements);
  void assign_place(ValueId value, std::size_t parameter, const FlatBuffer& buffer);
  program::BufferId add_buffer(std::string name, program::MemoryClass memory_class, std::int64_t bytes,
                               bool persistent = true);
  void append_copy_of_parameters(int to, Writer& writer) const;

  program::Program& program_;
  const FlatLayout& layout_;
  const Shards& shards_;
  bool own_weights_;
  bool evaluates_;
  int stage_;                 ///< of the pipeline
  int versions_ = 1;          ///< of the parameters
  int first_weight_age_ = 0;  ///< of the version that forward passes use
  FlatBuffer parameters_, gradients_, masters_, statistics_, observed_, mean_parameters_, mean_statistics_;
  std::vector<FlatBuffer> states_;
  std::map<std::string, FlatBuffer> stage_states_;
  std::vector<program::Operand> factors_;  ///< by bucket
  program::Operand squared_norm_, scaler_;
  std::vector<program::Operand> transient_gradients_;  ///< by bucket
  std::vector<ValueId> gradient_values_;
  std::map<ValueId, program::View> views_;  ///< of micro-batch 0
  std::map<ValueId, BucketPlace> places_;
  std::map<ValueId, std::int64_t> microbatch_strides_;  ///< in bytes, of inputs
  std::map<ValueId, bool> accumulated_;
  std::vector<program::StateShard> state_;
  std::map<program::BufferId, std::vector<program::Segment>> sharded_buffers_;
};

}  // namespace ddlbench::strategies
