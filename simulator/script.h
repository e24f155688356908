#pragma once

#include <vector>

#include "program/cost_table.h"
#include "program/plan.h"
#include "simulator/index.h"
#include "simulator/simulate.h"

namespace ddlbench::simulator {

/// An instruction with the times and waits that the simulation needs.
struct Step {
  double seconds = 0;          ///< time for which it occupies its lane; for a communication, the time to start it
  bool computes = false;       ///< on the rank's cores
  bool communicates = false;   ///< completes later
  std::size_t first_wait = 0;  ///< in Section::waits
  std::size_t end_wait = 0;
  /// For a communication, the index of its group or first peer among the targets of the section.
  std::size_t first_target = 0;
};

/// Instructions that run one after another.
using Lane = std::vector<program::InstructionId>;

/// A prologue, body or epilogue, prepared once for all ranks of a role.
struct Section {
  const std::vector<program::Instruction>* instructions = nullptr;
  std::vector<Step> steps;
  std::vector<Lane> lanes;                    ///< timelines report the first lane
  std::vector<program::InstructionId> waits;  ///< instructions that must be complete before each step
  std::vector<program::InstructionId> at_end;
  std::size_t targets = 0;
};

/// The sections of a role's training program.
struct Script {
  std::vector<Section> sections;  ///< as program::sections
};

/// Throws InputError naming the key of a cost that is unknown.
Script make_script(const program::Role& role, const program::CostTable& costs, const Options& options);

}  // namespace ddlbench::simulator
