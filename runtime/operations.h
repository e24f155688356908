#pragma once

#include <functional>
#include <string>

#include "comm/communicator.h"
#include "program/plan.h"
#include "runtime/groups.h"

namespace ddlbench::runtime {

/// Returns the address of a view on this rank.
using Resolve = std::function<std::byte*(const program::View&)>;

/// Prepares the communication of `instruction` for rank `world().rank()` of the plan. The root of a broadcast is the
/// first member of its group. The parts of an all-to-all must have equal sizes.
comm::OperationPtr prepare(const program::Instruction& instruction, const program::Plan& plan,
                           const Communicators& communicators, const Resolve& resolve);

/// Prepares a single collective over its group.
comm::OperationPtr prepare(const program::CollectiveCall& call, comm::Communicator& group, const std::string& label,
                           const Resolve& resolve);

/// Returns the size in bytes of the scratch memory that a collective needs on this group.
std::int64_t workspace_bytes(const program::CollectiveCall& call, const comm::Communicator& group);

}  // namespace ddlbench::runtime
