#pragma once

#include "strategies/passes/lower.h"

namespace ddlbench::strategies {

/// Brings the gradients of the ranks together and updates the parameters, while the ops of a training step are written.
class Synchronizer {
 public:
  virtual ~Synchronizer() = default;

  /// Call before all else.
  virtual void begin() {}
  /// Call before each op of a layer.
  virtual void begin_op() {}
  /// Call before anything that reads `tensor`.
  virtual void before_read(graph::TensorId /*tensor*/) {}
  /// Call before an op that computes `value`: creates the memory of its gradient, where there is none yet.
  virtual void prepare(ValueId, int /*microbatch*/) {}
  /// Call after that op.
  virtual void made(ValueId, int /*microbatch*/) {}
  /// Call after all else in the step.
  virtual void finish() = 0;
};

}  // namespace ddlbench::strategies
