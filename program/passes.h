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
/// before every access of the other. Memory last used by the compute stream may be given to an earlier
/// communication's successor by adding a write-after-read edge, which is written into the program; an
/// edge that would make compute wait for communication is never added. Call after `order`, before
/// `check`, `account` and `simulate`.
void plan_memory(Program& program, const CostTable& costs, Placing placing = Placing::reuse);

/// `order` and `plan_memory` for both programs of every role.
void complete(Plan& plan, const CostTable& costs, Placing placing = Placing::reuse);

}  // namespace ddlbench::program
