#include "comm/scheduled_communicator.h"

#include <algorithm>

#include "comm/algorithms/pairwise.h"
#include "comm/algorithms/recursive_doubling.h"
#include "comm/algorithms/ring.h"
#include "comm/algorithms/tree.h"
#include "comm/check_call.h"
#include "comm/schedule.h"
#include "comm/throttle.h"
#include "graph/error.h"
#include "graph/tensor.h"

namespace ddlbench::comm {

namespace {

StepList all_reduce_steps(graph::Algorithm algorithm, int rank, int size, std::int64_t count, bool in_place) {
  switch (algorithm) {
    case graph::Algorithm::ring:
      return ring_all_reduce(rank, size, count);
    case graph::Algorithm::recursive_doubling:
      return recursive_doubling_all_reduce(rank, size, count, in_place);
    case graph::Algorithm::native:
      break;
  }
  throw ContractError("no such algorithm");
}

}  // namespace

ScheduledCommunicator::ScheduledCommunicator(const RankContext& context, PointToPoint& point_to_point)
    : context_(context),
      throttled_(context.link ? std::make_unique<ThrottledMessages>(point_to_point, *context.link) : nullptr),
      point_to_point_(throttled_ ? *throttled_ : point_to_point) {}

OperationPtr ScheduledCommunicator::prepare(Kind kind, const std::string& label, const StepList& list,
                                            Memories memories) {
  const std::int64_t bytes = scratch_bytes(list, memories.dtype, point_to_point_);
  std::unique_ptr<std::byte[]> scratch;
  if (bytes > 0 && !memories.scratch) {
    scratch = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
    memories.scratch = scratch.get();
  }
  auto schedule =
      std::make_unique<Schedule>(point_to_point_, context_.sent, kind, label.empty() ? std::string(name(kind)) : label);
  schedule->add(list, memories);
  return std::make_unique<ScheduledOperation>(context_, point_to_point_, std::move(schedule), std::move(scratch));
}

OperationPtr ScheduledCommunicator::operation(std::unique_ptr<Task> task) const {
  return std::make_unique<ScheduledOperation>(context_, point_to_point_, std::move(task), nullptr);
}

OperationPtr ScheduledCommunicator::all_reduce(const Reduce& call) {
  check_call(call);
  require_algorithm(call.algorithm != graph::Algorithm::native, graph::Collective::all_reduce, call.algorithm,
                    transport());
  const StepList list = all_reduce_steps(call.algorithm, rank(), size(), call.count, call.input == call.output);
  return prepare(Kind::all_reduce, call.label, list,
                 {call.input, call.output, call.workspace, call.dtype, call.reduction});
}

OperationPtr ScheduledCommunicator::reduce_scatter(const Parts& call) {
  check_call(call, size());
  require_algorithm(call.algorithm == graph::Algorithm::ring, graph::Collective::reduce_scatter, call.algorithm,
                    transport());
  return prepare(Kind::reduce_scatter, call.label, ring_reduce_scatter(rank(), call.counts),
                 {call.input, call.output, call.workspace, call.dtype, call.reduction});
}

OperationPtr ScheduledCommunicator::all_gather(const Parts& call) {
  check_call(call, size());
  require_algorithm(call.algorithm == graph::Algorithm::ring, graph::Collective::all_gather, call.algorithm,
                    transport());
  return prepare(Kind::all_gather, call.label, ring_all_gather(rank(), call.counts),
                 {call.input, call.output, call.workspace, call.dtype, call.reduction});
}

OperationPtr ScheduledCommunicator::all_to_all(const Redistribute& call) {
  check_call(call, rank(), size());
  return prepare(Kind::all_to_all, call.label, pairwise_all_to_all(rank(), call.send_counts, call.receive_counts),
                 {call.input, call.output, nullptr, call.dtype, {}});
}

OperationPtr ScheduledCommunicator::broadcast(const Broadcast& call) {
  check_call(call, size());
  return prepare(Kind::broadcast, call.label, binomial_broadcast(rank(), size(), call.count, call.root),
                 {nullptr, call.data, nullptr, call.dtype, {}});
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
  return prepare(Kind::barrier, "barrier", dissemination_barrier(rank(), size()), {});
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

std::vector<graph::Algorithm> ScheduledCommunicator::algorithms(graph::Collective kind) const {
  if (kind == graph::Collective::all_reduce) return {graph::Algorithm::ring, graph::Algorithm::recursive_doubling};
  return {graph::Algorithm::ring};
}

std::int64_t ScheduledCommunicator::workspace_bytes(graph::Collective kind, graph::Algorithm algorithm,
                                                    std::int64_t count, graph::DType dtype) const {
  // The same on every rank, though some ranks of an algorithm may want less.
  std::int64_t most = 0;
  if (algorithm == graph::Algorithm::native) return most;  // the library allocates what it wants
  for (int member = 0; member < size(); ++member) {
    if (kind == graph::Collective::all_reduce) {
      const StepList list = all_reduce_steps(algorithm, member, size(), count, true);
      most = std::max(most, scratch_bytes(list, dtype, point_to_point_));
    } else if (kind == graph::Collective::reduce_scatter) {
      // Whatever the counts: no message is larger than a segment of the even split.
      std::vector<std::int64_t> counts;
      for (int i = 0; i < size(); ++i) counts.push_back(graph::part_of(count, size(), i).size());
      most = std::max(most, scratch_bytes(ring_reduce_scatter(member, counts), dtype, point_to_point_));
    }
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
