#pragma once

#include <map>
#include <string>
#include <utility>

#include "strategies/passes/storage.h"

namespace ddlbench::strategies {

/// Where each value of each micro-batch lies on one rank: in persistent storage, or in a transient buffer
/// made when it is first written.
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

  graph::TensorType local_type(ValueId value) const;

 private:
  const ShardedGraph& sharded_;
  std::vector<int> coordinates_;
  const Storage& storage_;
  program::Program& program_;
  std::map<std::pair<ValueId, int>, program::View> views_;
};

}  // namespace ddlbench::strategies
