#pragma once

#include <functional>

#include "comm/communicator.h"
#include "program/plan.h"
#include "runtime/groups.h"

namespace ddlbench::runtime {

/// Where a view lies on this rank.
using Resolve = std::function<std::byte*(const program::View&)>;

/// Prepares the communication that `instruction` is, as rank `world().rank()` of the plan. A broadcast's
/// root is the first member of its group; an all-to-all's parts are all of one size.
comm::OperationPtr prepare(const program::Instruction& instruction, const program::Plan& plan,
                           const Communicators& communicators, const Resolve& resolve);

/// Elements of the whole tensor that a collective works on: what its workspace depends on.
std::int64_t whole_elements(const program::CollectiveCall& call);

}  // namespace ddlbench::runtime
