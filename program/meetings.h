#pragma once

#include <vector>

#include "program/plan.h"

namespace ddlbench::program {

/// One communication as an instruction of one rank's body.
struct Attendance {
  int rank = 0;
  InstructionId instruction = none;
};

/// Who takes part in which communication of a training step: a collective is one meeting of its group, a
/// message one of its sender and its receiver.
struct Meetings {
  std::vector<std::vector<Attendance>> members;
  /// By rank and instruction: the meetings that it takes part in (an exchange: several).
  std::vector<std::vector<std::vector<int>>> of;
};

/// Matches as transports do: the k-th collective of a group on one member with the k-th on the others,
/// the k-th message from one rank to another with its k-th receive. Throws ContractError where some have
/// no counterpart.
Meetings match(const Plan& plan);

}  // namespace ddlbench::program
