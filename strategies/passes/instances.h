#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "strategies/passes/carried.h"
#include "strategies/passes/storage.h"
#include "strategies/passes/without_flush.h"

namespace ddlbench::strategies {

/// Maps each value of each micro-batch to its place on one rank: in persistent storage, in its bucket's buffer, or in a
/// transient buffer that is created when the value is first written. Without flush, to a ring where a later step reads
/// what an earlier one has written.
class Instances {
 public:
  /// `carried`: the values that lie in rings, or null; they get buffers here. `probe`: notes such values, or null.
  Instances(const ShardedGraph& sharded, const RolePosition& position, const Storage& storage,
            program::Program& program, const Carried* carried = nullptr, CarriedProbe* probe = nullptr);

  /// Says of which batch the micro-batches of the following calls are: the one of that age.
  void set_age(int age) { age_ = age; }
  /// The parameters that the forward or backward passes of the step use.
  struct Estimate {
    FlatBuffer parameters;
    EstimatedWeights weights;
    std::set<std::size_t> buckets;  ///< of which these passes read parameters
  };
  /// Creates a transient buffer for them. Call after all that creates persistent buffers.
  void estimate(std::int64_t elements, const EstimatedWeights& weights, std::set<std::size_t> buckets);
  const Estimate& estimate() const { return estimate_; }

  /// Returns the pairs of operands that this step copies for later ones: inputs of the micro-batches, and their rings.
  std::vector<std::pair<program::Operand, program::Operand>> copies() const;

  /// Returns the operand of `value`. Throws ContractError where it has not been made.
  program::Operand at(ValueId value, int microbatch) const;
  /// Creates the operand of `value`; replaces an earlier one, as recomputation writes the value again.
  program::Operand make(ValueId value, int microbatch);
  /// Places `value` in the memory of `source`: a view, or a collective in place.
  program::Operand alias(ValueId value, ValueId source, int microbatch);
  /// Creates a transient buffer for the input or output of a collective.
  program::Operand staging(const std::string& name, const graph::TensorType& type);

  /// Creates a persistent buffer for what communication writes in the whole of a step: in the arena, a small one that
  /// lives as long would divide the free memory. Call before all else, because persistent buffers come first.
  program::Operand lasting(const std::string& name, const graph::TensorType& type);

  /// Sets the buffer that holds all gradients of sharded bucket `bucket` for `microbatch`.
  void open_gradients(std::size_t bucket, int microbatch, const program::View& whole);
  bool has_gradients(std::size_t bucket, int microbatch) const { return gradients_.count({bucket, microbatch}) > 0; }
  /// Sets the buffer that holds all gathered parameters of sharded bucket `bucket`, for the steps that follow.
  void use_parameters(std::size_t bucket, const program::View& whole) { parameters_[bucket] = whole; }

  graph::TensorType local_type(ValueId value) const;

 private:
  /// Returns the view of `value` in persistent storage or in its bucket's buffer; an empty view where it lies in
  /// neither.
  program::View settled(ValueId value, int microbatch) const;
  bool is_input(ValueId value) const;
  /// Returns the place of a value in its ring for a batch of that age, which has age −1 in the step that writes it; an
  /// empty view where it has none.
  program::View in_ring(const InstanceKey& key, int age) const;

  const ShardedGraph& sharded_;
  std::vector<int> coordinates_;
  const Storage& storage_;
  program::Program& program_;
  const Carried* carried_;
  CarriedProbe* probe_;
  int age_ = 0;
  Estimate estimate_;
  std::map<std::tuple<ValueId, int, int>, program::View> views_;  ///< by value, micro-batch and age
  std::map<InstanceKey, program::BufferId> rings_;
  std::map<std::pair<std::size_t, int>, program::View> gradients_;  ///< by bucket and micro-batch
  std::map<std::size_t, program::View> parameters_;                 ///< by bucket
};

}  // namespace ddlbench::strategies
