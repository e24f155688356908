#pragma once

#include <string>
#include <vector>

#include "program/plan.h"

namespace ddlbench::test {

/// A builder of programs.
class ProgramWriter {
 public:
  using Operands = std::vector<program::Operand>;

  program::BufferId persistent(const std::string& name, program::MemoryClass memory_class, std::int64_t bytes,
                               int versions = 1);
  program::BufferId transient(const std::string& name, std::int64_t bytes);

  program::Instruction& compute(const std::string& name, program::Phase phase, graph::OpPtr op, Operands inputs,
                                Operands outputs);
  program::Instruction& communicate(const std::string& name, program::Action action);

  program::Program program;
};

/// Returns an f32 (or i32) operand of `shape` at `offset` bytes of a buffer.
program::Operand operand(program::BufferId buffer, graph::Shape shape, std::int64_t offset = 0,
                         graph::DType dtype = graph::DType::f32);

/// Returns a plan for one rank that trains with `program`, whose buffer `kept` is a parameter "w" of two elements,
/// initially 1.
program::Plan two_element_plan(const program::Program& program, program::BufferId kept);

inline constexpr std::int64_t features = 6, hidden = 5, classes = 3, batch = 8;

/// x[batch, 6] -> linear -> cross-entropy with SGD, on `ranks` ranks that share the batch and sum their gradients.
program::Plan data_parallel_plan(int ranks);

/// x -> linear 6x5 -> linear 5x3 -> cross-entropy with SGD, on one rank or as two stages.
program::Plan two_layer_plan();
program::Plan pipeline_plan();

}  // namespace ddlbench::test
