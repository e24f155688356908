#include "comm/gloo/gloo.h"

#include <gloo/rendezvous/file_store.h>
#include <gloo/rendezvous/hash_store.h>

#include <fmt/core.h>
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "base/error.h"
#include "comm/gloo/messages.h"
#include "comm/gloo/world.h"
#include "comm/group_id.h"
#include "comm/process_place.h"
#include "comm/run_in_world.h"
#include "comm/scheduled_communicator.h"

namespace ddlbench::comm::gloo {

namespace {

constexpr std::chrono::seconds time_to_connect{60};

/// Constructed before the ScheduledCommunicator that refers to it, and destroyed after it.
struct GlooMessages {
  Messages messages;
};

class GlooCommunicator final : private GlooMessages, public ScheduledCommunicator {
 public:
  GlooCommunicator(World& world, const GroupPtr& group)
      : GlooMessages{Messages(world, group)}, ScheduledCommunicator(world.context(), messages), world_(world) {}

  std::string transport() const override { return "gloo"; }

  std::unique_ptr<Communicator> split(const std::vector<int>& members) override {
    const std::vector<int> world_ranks = world_ranks_of(members, messages.group()->members);
    const int occurrence = splits_[world_ranks]++;
    auto group = std::make_shared<Group>();
    group->id = group_id(messages.group()->id, world_ranks, occurrence);
    group->members = world_ranks;
    group->rank = static_cast<int>(std::find(members.begin(), members.end(), rank()) - members.begin());
    world_.add(group);
    return std::make_unique<GlooCommunicator>(world_, group);
  }

  void abort(const std::string& reason) noexcept override {
    world_.failure().raise(CommunicationError::Kind::aborted, context().world_rank, "", reason);
  }

 private:
  World& world_;
  std::map<std::vector<int>, int> splits_;
};

/// Runs a launch on the connections of a process.
void launch_on(Session& session, int ranks, const WorldOptions& options,
               const std::function<void(Communicator&)>& body) {
  if (session.rank() >= ranks) {
    session.next_launch();
    return;
  }
  if (session.abandoned()) {
    throw CommunicationError(CommunicationError::Kind::aborted, -1, "",
                             "the connections of the ranks were abandoned after an earlier failure");
  }
  World world(session, ranks, options);
  run_in_world<GlooCommunicator>(world, body);
}

void remove_folder(const char* folder) {
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

Session& session_of_process() {
  const char* folder = std::getenv(rendezvous_variable);
  const std::optional<ProcessPlace> place = process_place();
  if (folder == nullptr || !place) {
    throw InputError(
        "transport gloo: only processes that ddlbench itself starts can be its ranks; start ddlbench "
        "without mpiexec or srun, or use transport mpi");
  }
  static ::gloo::rendezvous::FileStore store(folder);
  static Session session(*place, store, time_to_connect);
  return session;
}

}  // namespace

bool available() {
  return true;
}

void require_available() {}

void launch(int ranks, const WorldOptions& options, const std::function<void(Communicator&)>& body) {
  if (ranks < 1) throw InputError(fmt::format("at least one rank is needed, but the number is {}", ranks));
  Session& session = session_of_process();
  if (ranks > session.size()) {
    throw InputError(
        fmt::format("transport gloo: {} ranks are requested, but {} processes were started", ranks, session.size()));
  }
  launch_on(session, ranks, options, [&](Communicator& communicator) {
    // All are connected. A job that is killed later leaves no files behind.
    if (communicator.rank() == 0 && ranks == session.size()) remove_folder(std::getenv(rendezvous_variable));
    body(communicator);
  });
}

void launch_in_threads(int ranks, const WorldOptions& options, const std::function<void(Communicator&)>& body) {
  if (ranks < 1) throw InputError(fmt::format("at least one rank is needed, but the number is {}", ranks));
  ::gloo::rendezvous::HashStore store;
  std::mutex mutex;
  std::exception_ptr first;
  const auto note = [&] {
    const std::lock_guard lock(mutex);
    if (!first) first = std::current_exception();
  };
  const auto noting_body = [&](Communicator& communicator) {
    try {
      body(communicator);
    } catch (...) {
      note();  // before the other ranks learn of it
      throw;
    }
  };
  const auto run_rank = [&](int rank) {
    try {
      Session session({rank, ranks}, store, time_to_connect);
      launch_on(session, ranks, options, noting_body);
    } catch (...) {
      note();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank) threads.emplace_back(run_rank, rank);
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace ddlbench::comm::gloo
