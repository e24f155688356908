#pragma once

#include "program/cost_table.h"
#include "program/plan.h"

namespace ddlbench::program {

/// Derives every instruction's `after` from the ranges: read after write, write after read, write after
/// write, nearest only. What the issue order of one stream already says is left out.
void order(Program& program);

enum class Placing : std::uint8_t {
  reuse,   ///< buffers whose lives are ordered share memory
  unique,  ///< none shared: for hunting defects
};

/// Adds workspaces from the costs and gives every transient buffer its offset in the arena. A life spans
/// the happens-before order across streams: two buffers overlap only where every access of one happens
/// before every access of the other. Memory that is certainly free once some compute instruction is
/// complete may be given to a later communication by adding that edge, which is written into the program;
/// an edge that would make compute wait for communication is never added. Call after `order`, before
/// `check`, `account` and `simulate`; a second call forgets the workspaces of the first. Throws ContractError
/// where a transient buffer is used in two of prologue, body and epilogue.
void plan_memory(Program& program, const std::vector<Mesh>& meshes, const CostTable& costs,
                 Placing placing = Placing::reuse);

/// Gives each input slot a second version, so that a batch can be loaded while a step runs that reads the one before:
/// for devices to which steps are put ahead. Before `complete`.
void double_inputs(Plan& plan);

/// `order` and `plan_memory` for both programs of every role. Idempotent.
void complete(Plan& plan, const CostTable& costs, Placing placing = Placing::reuse);

}  // namespace ddlbench::program
