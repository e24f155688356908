#include "runtime/operations.h"

#include <vector>

#include "base/error.h"
#include "program/actions.h"
#include "program/cost_table.h"

namespace ddlbench::runtime {

using namespace program;

namespace {

comm::Parts parts(const CollectiveCall& call, const std::string& label, const Resolve& resolve) {
  return {resolve(call.input.view), resolve(call.output.view), call.counts, call.input.type.dtype,
          call.reduction,           resolve(call.workspace),   label,       call.algorithm};
}

comm::OperationPtr broadcast(const CollectiveCall& call, comm::Communicator& group, const std::string& label,
                             const Resolve& resolve) {
  require(call.input.view == call.output.view, "broadcast '" + label + "' is not in place");
  return group.broadcast(
      {resolve(call.output.view), graph::elements(call.output.type.shape), call.output.type.dtype, 0, label});
}

comm::OperationPtr all_to_all(const CollectiveCall& call, comm::Communicator& group, const std::string& label,
                              const Resolve& resolve) {
  const std::vector<std::int64_t> from_each(call.counts.size(), call.counts[static_cast<std::size_t>(group.rank())]);
  return group.all_to_all(
      {resolve(call.input.view), resolve(call.output.view), call.counts, from_each, call.input.type.dtype, label});
}

}  // namespace

comm::OperationPtr prepare(const CollectiveCall& call, comm::Communicator& group, const std::string& label,
                           const Resolve& resolve) {
  require(call.kind == graph::Collective::all_reduce || call.kind == graph::Collective::broadcast ||
              call.counts.size() == static_cast<std::size_t>(group.size()),
          "collective '{}' has {} counts for {} members", label, call.counts.size(), group.size());
  const std::int64_t wanted = workspace_bytes(call, group);
  require(wanted <= call.workspace.bytes, "collective '{}' needs a workspace of {} bytes, but the plan has {}", label,
          wanted, call.workspace.bytes);
  switch (call.kind) {
    case graph::Collective::all_reduce:
      return group.all_reduce({resolve(call.input.view), resolve(call.output.view), moved_elements(call),
                               call.input.type.dtype, call.reduction, call.algorithm, resolve(call.workspace), label,
                               call.in_turn});
    case graph::Collective::reduce_scatter:
      return group.reduce_scatter(parts(call, label, resolve));
    case graph::Collective::all_gather:
      return group.all_gather(parts(call, label, resolve));
    case graph::Collective::all_to_all:
      return all_to_all(call, group, label, resolve);
    case graph::Collective::broadcast:
      return broadcast(call, group, label, resolve);
  }
  throw ContractError("collective '" + label + "' has an unknown kind");
}

std::int64_t workspace_bytes(const CollectiveCall& call, const comm::Communicator& group) {
  return group.workspace_bytes(call.kind, call.algorithm, moved_elements(call), call.input.type.dtype);
}

comm::OperationPtr prepare(const Instruction& instruction, const Plan& plan, const Communicators& communicators,
                           const Resolve& resolve) {
  comm::Communicator& world = communicators.world();
  if (const CollectiveCall* call = collective(instruction.action)) {
    const Members group = members(call->group, plan.meshes, world.rank());
    return prepare(*call, communicators.of(group), instruction.name, resolve);
  }
  const int mesh = plan.role(world.rank()).mesh;
  std::vector<comm::Outgoing> sends;
  std::vector<comm::Incoming> receives;
  const Messages list = messages(instruction.action);
  for (const Message* m : list.sends) {
    sends.push_back(
        {resolve(m->operand.view), m->operand.view.bytes, program::resolve(m->peer, plan.meshes, mesh, world.rank())});
  }
  for (const Message* m : list.receives) {
    receives.push_back(
        {resolve(m->operand.view), m->operand.view.bytes, program::resolve(m->peer, plan.meshes, mesh, world.rank())});
  }
  return world.exchange(std::move(sends), std::move(receives), instruction.name);
}

}  // namespace ddlbench::runtime
