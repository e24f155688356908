#pragma once

#include <memory>
#include <string>
#include <utility>

#include "graph/ops/shape.h"
#include "program/program.h"

namespace ddlbench::strategies {

/// Appends instructions to a section of a program.
class Writer {
 public:
  explicit Writer(program::Instructions& section) : section_(section) {}

  /// What is appended from now on belongs to the step that many steps before the present one.
  void set_steps_back(int steps) { steps_back_ = steps; }

  void append(std::string name, program::Action action, program::Phase phase, int stage, int microbatch) {
    program::Instruction instruction;
    instruction.name = std::move(name);
    const bool compute =
        std::holds_alternative<program::Compute>(action) || std::holds_alternative<program::Pack>(action);
    const bool copy = std::holds_alternative<program::Copy>(action);
    instruction.action = std::move(action);
    instruction.stream = compute ? graph::Stream::compute : copy ? graph::Stream::copy : graph::Stream::communication;
    instruction.phase = phase;
    instruction.stage = stage;
    instruction.microbatch = microbatch;
    instruction.steps_back = steps_back_;
    section_.push_back(std::move(instruction));
  }

  void append_copy(std::string name, const program::Operand& from, const program::Operand& to, program::Phase phase,
                   int stage) {
    append(std::move(name), program::Compute{{std::make_shared<graph::Slice>(0, 1, 0)}, {from}, {to}}, phase, stage, 0);
  }

 private:
  program::Instructions& section_;
  int steps_back_ = 0;
};

}  // namespace ddlbench::strategies
