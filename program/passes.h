#pragma once

#include "program/cost_table.h"
#include "program/plan.h"

namespace ddlbench::program {

/// Derives the `after` of every instruction from its byte ranges: read after write, write after read and write after
/// write, nearest hazards only. Omits dependencies that the issue order of one stream already implies.
void order(Program& program);

enum class Placing : std::uint8_t {
  reuse,   ///< buffers with ordered lifetimes share memory
  unique,  ///< no sharing, for debugging
};

/// Adds workspaces according to `costs`, and gives every transient buffer its offset in the arena. Lifetimes follow the
/// happens-before order across streams: two buffers overlap only if every access to one happens before every access to
/// the other. Memory that is certain to be free once some compute instruction is complete may be given to a later
/// communication by adding that dependency to the program. A dependency that would make compute wait for communication
/// is never added. Call after `order` and before `check`, `account` and `simulate`. A second call discards the
/// workspaces of the first. Throws ContractError if a transient buffer is used in more than one section.
void plan_memory(Program& program, const std::vector<Mesh>& meshes, const CostTable& costs,
                 Placing placing = Placing::reuse);

/// Appends the body of `from`, which has one, to the bodies of `to`: another kind of step of the same training. Both
/// must have equal persistent buffers, inputs, metrics and no rings; `from` brings its own transient buffers. Call
/// before `complete`. Throws ContractError if they differ.
void add_body(Program& to, Program from);

/// Gives each input slot a second version, so that a batch can be loaded while a step still reads the previous one.
/// Needed for devices on which steps are enqueued ahead. Call before `complete`.
void double_buffer_inputs(Plan& plan);

/// Runs `order` and `plan_memory` on both programs of every role. Idempotent.
void complete(Plan& plan, const CostTable& costs, Placing placing = Placing::reuse);

}  // namespace ddlbench::program
