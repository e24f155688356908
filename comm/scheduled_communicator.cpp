#include "comm/scheduled_communicator.h"

#include <algorithm>

#include "base/error.h"
#include "collectives/pairwise.h"
#include "collectives/tree.h"
#include "comm/check_call.h"
#include "comm/schedule.h"
#include "comm/throttle.h"

namespace ddlbench::comm {

using collectives::Emit;
using collectives::Payload;
using collectives::StepList;
using collectives::Steps;

ScheduledCommunicator::ScheduledCommunicator(const RankContext& context, PointToPoint& point_to_point)
    : context_(context),
      throttled_(context.link ? std::make_unique<ThrottledMessages>(point_to_point, *context.link) : nullptr),
      point_to_point_(throttled_ ? *throttled_ : point_to_point) {}

OperationPtr ScheduledCommunicator::prepare(Kind kind, const std::string& label, const Steps& steps, Memories memories,
                                            bool in_turn) {
  const StepList list = collectives::list_of(steps);
  const std::int64_t bytes = scratch_bytes(list, memories.dtype, point_to_point_);
  std::unique_ptr<std::byte[]> scratch;
  if (bytes > 0 && !memories.scratch) {
    scratch = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
    memories.scratch = scratch.get();
  }
  auto schedule =
      std::make_unique<Schedule>(point_to_point_, context_.sent, kind, label.empty() ? std::string(name(kind)) : label);
  schedule->add(list, memories);
  return std::make_unique<ScheduledOperation>(context_, point_to_point_, std::move(schedule), std::move(scratch),
                                              in_turn);
}

Steps ScheduledCommunicator::steps_of(graph::Collective kind, collectives::Algorithm algorithm,
                                      const Payload& payload) const {
  const bool makes = algorithm != collectives::native() && algorithm.steps(kind) != nullptr;
  require_algorithm(makes, kind, algorithm, transport());
  return [=, this](const Emit& emit) { algorithm.steps(kind)(payload, rank(), emit); };
}

OperationPtr ScheduledCommunicator::operation(std::unique_ptr<Task> task) const {
  return std::make_unique<ScheduledOperation>(context_, point_to_point_, std::move(task), nullptr);
}

OperationPtr ScheduledCommunicator::all_reduce(const Reduce& call) {
  check_call(call);
  Payload payload(size(), call.count);
  payload.in_place = call.input == call.output;
  return prepare(Kind::all_reduce, call.label, steps_of(graph::Collective::all_reduce, call.algorithm, payload),
                 {call.input, call.output, call.workspace, call.dtype, call.reduction}, call.in_turn);
}

OperationPtr ScheduledCommunicator::reduce_scatter(const Parts& call) {
  check_call(call, size());
  return prepare(Kind::reduce_scatter, call.label,
                 steps_of(graph::Collective::reduce_scatter, call.algorithm, Payload(call.counts)),
                 {call.input, call.output, call.workspace, call.dtype, call.reduction});
}

OperationPtr ScheduledCommunicator::all_gather(const Parts& call) {
  check_call(call, size());
  return prepare(Kind::all_gather, call.label,
                 steps_of(graph::Collective::all_gather, call.algorithm, Payload(call.counts)),
                 {call.input, call.output, call.workspace, call.dtype, call.reduction});
}

OperationPtr ScheduledCommunicator::all_to_all(const Redistribute& call) {
  check_call(call, rank(), size());
  const auto steps = [&](const Emit& emit) {
    collectives::pairwise_all_to_all(rank(), call.send_counts, call.receive_counts, emit);
  };
  return prepare(Kind::all_to_all, call.label, steps, {call.input, call.output, nullptr, call.dtype, {}});
}

OperationPtr ScheduledCommunicator::broadcast(const Broadcast& call) {
  check_call(call, size());
  const auto steps = [&](const Emit& emit) {
    collectives::binomial_broadcast(rank(), size(), call.count, call.root, emit);
  };
  return prepare(Kind::broadcast, call.label, steps, {nullptr, call.data, nullptr, call.dtype, {}});
}

OperationPtr ScheduledCommunicator::exchange(std::vector<Outgoing> sends, std::vector<Incoming> receives,
                                             std::string label) {
  check_call(sends, receives, size());
  auto schedule = std::make_unique<Schedule>(point_to_point_, context_.sent, Kind::send,
                                             label.empty() ? "exchange" : std::move(label));
  schedule->add(sends, receives);
  return std::make_unique<ScheduledOperation>(context_, point_to_point_, std::move(schedule), nullptr);
}

OperationPtr ScheduledCommunicator::barrier() {
  const auto steps = [&](const Emit& emit) { collectives::dissemination_barrier(rank(), size(), emit); };
  return prepare(Kind::barrier, "barrier", steps, {});
}

std::vector<int> ScheduledCommunicator::world_ranks_of(const std::vector<int>& members,
                                                       const std::vector<int>& all) const {
  std::vector<int> world_ranks;
  for (const int member : members) {
    require(member >= 0 && member < size(), "a split names a rank that is not in the group");
    const int world_rank = all[static_cast<std::size_t>(member)];
    require(std::find(world_ranks.begin(), world_ranks.end(), world_rank) == world_ranks.end(),
            "a split names a rank twice");
    world_ranks.push_back(world_rank);
  }
  require(std::find(members.begin(), members.end(), rank()) != members.end(),
          "a split was called by a rank that is not in it");
  return world_ranks;
}

std::vector<collectives::Algorithm> ScheduledCommunicator::algorithms(graph::Collective kind) const {
  return collectives::algorithms(kind);
}

std::int64_t ScheduledCommunicator::workspace_bytes(graph::Collective kind, collectives::Algorithm algorithm,
                                                    std::int64_t count, graph::DType dtype) const {
  const collectives::EmitSteps steps = algorithm.steps(kind);
  // A library allocates the workspace of its own collectives itself.
  if (algorithm == collectives::native() || steps == nullptr) return 0;
  // Valid for all counts of a reduce-scatter, because even counts need the most. All ranks return the same, although
  // some may need less in an algorithm.
  Payload payload(size(), count);
  payload.in_place = true;
  std::int64_t most = 0;
  for (int member = 0; member < size(); ++member) {
    const StepList list = collectives::list_of([&](const Emit& emit) { steps(payload, member, emit); });
    most = std::max(most, scratch_bytes(list, dtype, point_to_point_));
  }
  return most;
}

std::string describe(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "unknown exception";
  }
}

}  // namespace ddlbench::comm
