#pragma once

#include <functional>
#include <string>

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

/// The same of a collective alone, over its group.
comm::OperationPtr prepare(const program::CollectiveCall& call, comm::Communicator& group, const std::string& label,
                           const Resolve& resolve);

/// Scratch that a collective wants on this group.
std::int64_t workspace_bytes(const program::CollectiveCall& call, const comm::Communicator& group);

}  // namespace ddlbench::runtime
