#pragma once

#include <string>
#include <vector>

#include "program/plan.h"

namespace ddlbench::program {

/// What is wrong with a plan, naming rank and instruction: "rank 2, body[14] 'send a3': …".
struct Finding {
  int rank = 0;
  std::string where;
  std::string what;
};

std::string to_string(const Finding& finding);

/// Proves, without a device, of a completed plan, for training and evaluation:
/// - well formed: views inside their buffers, types and bytes agree, dependencies point backwards;
/// - nothing is read before it is written (parameters, optimizer states and inputs count as written);
/// - no two accesses of one memory, one of them a write, are unordered (after memory reuse, too);
/// - every send meets one receive of the same tag, type and bytes; every collective meets its like on
///   all members of its group, in the same order on every pair of ranks;
/// - no deadlock, even where communication is strictly in order and a send waits for its receiver;
/// - nothing leaked: every transient buffer is used, every output is read, kept or communicated;
/// - both programs of a role agree on persistent buffers.
/// Empty: the plan is right. Memory and time are linear in instructions times streams.
std::vector<Finding> check(const Plan& plan);

/// Throws ContractError listing the first findings unless there are none.
void require_sound(const Plan& plan);

}  // namespace ddlbench::program
