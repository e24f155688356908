#pragma once

#include <string>
#include <vector>

#include "program/plan.h"

namespace ddlbench::program {

/// A defect of a plan, with rank and instruction: "rank 2, body[14] 'send a3': …".
struct Finding {
  int rank = 0;
  std::string where;
  std::string what;
};

std::string to_string(const Finding& finding);

/// Checks the training and evaluation programs of a completed plan. Needs no device. An empty result proves that:
/// - programs are well formed: views lie inside their buffers, types match sizes, dependencies point backwards;
/// - nothing is read before it is written (parameters, optimizer states and inputs count as written);
/// - any two accesses to the same memory, at least one of them a write, are ordered, even where memory is reused;
/// - every send matches one receive of the same tag, type and size, and every collective matches an equal call on each
///   member of its group, in the same order on every pair of ranks;
/// - there is no deadlock, even if each rank communicates strictly in order and a send blocks until it is received;
/// - nothing leaks: every transient buffer is used, and every output is read, kept or communicated;
/// - both programs of a role agree on their persistent buffers.
/// Memory and time are linear in the number of instructions times the number of streams.
std::vector<Finding> check(const Plan& plan);

/// Throws ContractError listing the first findings if there are any.
void require_sound(const Plan& plan);

}  // namespace ddlbench::program
