#pragma once

#include <array>
#include <vector>

#include "program/cost_table.h"
#include "program/plan.h"
#include "simulator/simulate.h"

namespace ddlbench::simulator {

inline std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

/// An instruction as a simulation runs it.
struct Step {
  double seconds = 0;          ///< that it holds its lane; a communication: to start it
  bool computes = false;       ///< on the rank's cores
  bool communicates = false;   ///< to be complete later
  std::size_t first_wait = 0;  ///< of Section::waits
  std::size_t end_wait = 0;
  std::size_t first_target = 0;  ///< of a communication: where its group, or its peers, stand among the section's
};

/// Instructions that run one after another.
using Lane = std::vector<program::InstructionId>;

/// A prologue, body or epilogue: settled once for all ranks of a role.
struct Section {
  const std::vector<program::Instruction>* instructions = nullptr;
  std::vector<Step> steps;
  std::vector<Lane> lanes;                    ///< the first is the one that a timeline tells of
  std::vector<program::InstructionId> waits;  ///< what must be complete before
  std::vector<program::InstructionId> at_end;
  std::size_t targets = 0;
};

/// What the ranks of a role do.
struct Script {
  std::array<Section, 3> sections;
};

/// Throws InputError naming the key of a cost that is not known.
Script make_script(const program::Role& role, const program::CostTable& costs, const Options& options);

}  // namespace ddlbench::simulator
