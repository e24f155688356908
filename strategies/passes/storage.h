#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/ops/optimizer.h"
#include "program/plan.h"
#include "strategies/passes/lower.h"
#include "strategies/passes/replicate.h"

namespace ddlbench::strategies {

/// What is the same for every pass that writes one role: which part of the mesh it stands for.
struct RolePosition {
  const program::Mesh& mesh;
  program::Coordinates coordinates;  ///< on the mesh; 0 on axes that make no difference
  int stage = 0;
  int microbatches = 1;

  /// On the axes of the rules of a sharded graph.
  std::vector<int> on(const std::vector<AxisRule>& rules) const;
};

/// The persistent buffers of one role: flat, dense, unpadded; tensors are views of them.
class Storage {
 public:
  /// Parameters, inputs and metrics that the steps of `stage` use, and with `optimizer` gradients and its
  /// states. Buffers are appended to `program`; the first ones are the same with and without optimizer.
  Storage(const ShardedGraph& sharded, const std::vector<int>& stage_of_step, const RolePosition& position,
          const graph::Optimizer* optimizer, program::Program& program);

  /// Parameters of this stage, in the order of the flat buffers.
  struct Parameter {
    graph::TensorId tensor = graph::absent;
    ValueId value = graph::absent;
    program::Operand operand;  ///< in the parameter buffer
    GradientRange gradient;    ///< in the gradient buffer, at the same offset
  };
  const std::vector<Parameter>& parameters() const { return parameters_; }

  /// Where a value lies if it is persistent (parameter, input, gradient, metric); else an empty view.
  program::View view_of(ValueId value, int microbatch) const;
  /// Written by every micro-batch in turn: the first writes, the others add.
  bool accumulates(ValueId value) const { return accumulated_.count(value) > 0; }
  /// A byte range of the gradient buffer's element type, in another flat buffer.
  program::Operand flat(program::BufferId buffer, std::int64_t begin, std::int64_t end) const;

  program::BufferId parameter_buffer() const { return parameter_buffer_; }
  program::BufferId gradient_buffer() const { return gradient_buffer_; }
  const std::vector<program::BufferId>& state_buffers() const { return state_buffers_; }

  std::vector<program::StateShard> state() const { return state_; }

 private:
  void add_parameters(const ShardedGraph& sharded, const std::vector<int>& stage_of_step, const RolePosition& position,
                      program::Program& program);
  void add_inputs(const ShardedGraph& sharded, const std::vector<int>& stage_of_step, const RolePosition& position,
                  program::Program& program);
  void add_metrics(const ShardedGraph& sharded, const std::vector<int>& stage_of_step, const RolePosition& position,
                   program::Program& program);
  void add_training_state(const ShardedGraph& sharded, const RolePosition& position, const graph::Optimizer& optimizer,
                          program::Program& program);

  std::vector<Parameter> parameters_;
  program::BufferId parameter_buffer_ = program::none;
  program::BufferId gradient_buffer_ = program::none;
  std::vector<program::BufferId> state_buffers_;
  std::map<ValueId, program::View> views_;              ///< of micro-batch 0
  std::map<ValueId, std::int64_t> microbatch_strides_;  ///< bytes, of inputs
  std::map<ValueId, bool> accumulated_;
  std::vector<program::StateShard> state_;
};

}  // namespace ddlbench::strategies
