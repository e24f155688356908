#include "comm/mpi/mpi.h"

#include <fmt/core.h>
#include <algorithm>

#include "base/counted.h"
#include "base/error.h"
#include "comm/group_id.h"
#include "comm/mpi/messages.h"
#include "comm/mpi/native.h"
#include "comm/mpi/world.h"
#include "comm/process_place.h"
#include "comm/run_in_world.h"
#include "comm/scheduled_communicator.h"

namespace ddlbench::comm::mpi {

namespace {

/// Constructed before the ScheduledCommunicator that refers to it, and destroyed after it.
struct OwnMessages {
  Messages messages;
};

class MpiCommunicator final : private OwnMessages, public ScheduledCommunicator {
 public:
  MpiCommunicator(World& world, const GroupPtr& group)
      : OwnMessages{Messages(world, group)}, ScheduledCommunicator(world.context(), messages), world_(world) {}

  std::string transport() const override { return "mpi"; }

  /// MPI's own collectives bypass the throttled link.
  std::vector<collectives::Algorithm> algorithms(graph::Collective kind) const override {
    std::vector<collectives::Algorithm> all = ScheduledCommunicator::algorithms(kind);
    if (!context().link) all.push_back(collectives::native());
    return all;
  }

  OperationPtr all_reduce(const Reduce& call) override {
    if (!native(call.algorithm)) return ScheduledCommunicator::all_reduce(call);
    return operation(native_all_reduce(messages.group(), context().sent, call));
  }
  OperationPtr reduce_scatter(const Parts& call) override {
    if (!native(call.algorithm)) return ScheduledCommunicator::reduce_scatter(call);
    return operation(native_reduce_scatter(messages.group(), context().sent, call));
  }
  OperationPtr all_gather(const Parts& call) override {
    if (!native(call.algorithm)) return ScheduledCommunicator::all_gather(call);
    return operation(native_all_gather(messages.group(), context().sent, call));
  }

  std::unique_ptr<Communicator> split(const std::vector<int>& members) override {
    const std::vector<int> world_ranks = world_ranks_of(members, messages.group()->members);
    const int occurrence = splits_[world_ranks]++;
    wait_for_members(members);
    auto group = std::make_shared<Group>();
    group->id = group_id(messages.group()->id, world_ranks, occurrence);
    group->members = world_ranks;
    group->rank = static_cast<int>(std::find(members.begin(), members.end(), rank()) - members.begin());
    group->communicator = make_group(messages.group()->communicator, members, static_cast<int>(group->id % 32768));
    world_.add(group);
    return std::make_unique<MpiCommunicator>(world_, group);
  }

  void abort(const std::string& reason) noexcept override {
    world_.failure().raise(CommunicationError::Kind::aborted, context().world_rank, "", reason);
  }

 private:
  bool native(collectives::Algorithm algorithm) const {
    return algorithm == collectives::native() && context().link == nullptr;
  }

  /// Waits, without busy polling and with a timeout, until all members have called split(): MPI's own creation of
  /// groups does neither.
  void wait_for_members(const std::vector<int>& members) {
    if (members.size() == 1) return;
    std::vector<Outgoing> sends;
    std::vector<Incoming> receives;
    for (const int member : members) {
      if (member == rank()) continue;
      sends.push_back({nullptr, 0, member});
      receives.push_back({nullptr, 0, member});
    }
    run(exchange(std::move(sends), std::move(receives), "split"));
  }

  World& world_;
  std::map<std::vector<int>, int> splits_;
};

}  // namespace

static void launch(std::optional<std::chrono::milliseconds> arrival_timeout, int ranks, const WorldOptions& options,
                   const std::function<void(Communicator&)>& body) {
  if (ranks < 1) throw InputError(fmt::format("at least one rank is needed, but the number is {}", ranks));
  const ProcessPlace place = process_place().value_or(ProcessPlace{});
  if (ranks > place.size) {
    throw InputError(
        fmt::format("transport mpi: {} ranks are requested, but the MPI launcher started {}; start with mpiexec -n {}",
                    ranks, counted(place.size, "process", "processes"), ranks));
  }
  Session& session = Session::instance();
  if (session.control().rank() >= ranks) {
    session.next_launch();
    return;
  }
  World world(session, ranks, options, arrival_timeout);
  run_in_world<MpiCommunicator>(world, body);
}

void give_up() {
  Session::instance().give_up();
}

void launch(int ranks, const WorldOptions& options, const std::function<void(Communicator&)>& body) {
  launch(std::nullopt, ranks, options, body);
}

void launch_within(std::chrono::milliseconds arrival_timeout, int ranks, const WorldOptions& options,
                   const std::function<void(Communicator&)>& body) {
  launch(arrival_timeout, ranks, options, body);
}

}  // namespace ddlbench::comm::mpi
