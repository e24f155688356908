#pragma once

#include <string>
#include <utility>

#include "program/program.h"

namespace ddlbench::strategies {

/// Appends instructions to a section of a program.
class Writer {
 public:
  explicit Writer(program::Instructions& section) : section_(section) {}

  /// What is appended from now on completes work that the previous step has left, or does not.
  void complete_previous_step(bool completes) { completes_previous_step_ = completes; }

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
    instruction.completes_previous_step = completes_previous_step_;
    section_.push_back(std::move(instruction));
  }

 private:
  program::Instructions& section_;
  bool completes_previous_step_ = false;
};

}  // namespace ddlbench::strategies
