#include "comm/threads/threads.h"

#include <fmt/core.h>
#include <algorithm>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/error.h"
#include "comm/scheduled_communicator.h"
#include "comm/threads/messages.h"
#include "comm/threads/world.h"

namespace ddlbench::comm::threads {

namespace {

/// Constructed before the ScheduledCommunicator that refers to it, and destroyed after it.
struct OwnMessages {
  Messages messages;
};

class ThreadsCommunicator final : private OwnMessages, public ScheduledCommunicator {
 public:
  ThreadsCommunicator(World& world, GroupPtr group, int rank)
      : OwnMessages{Messages(world, std::move(group), rank)},
        ScheduledCommunicator(world.context(messages.group().members[static_cast<std::size_t>(rank)]), messages),
        world_(world) {}

  std::string transport() const override { return "threads"; }

  std::unique_ptr<Communicator> split(const std::vector<int>& members) override {
    const std::vector<int> world_ranks = world_ranks_of(members, messages.group().members);
    const int own = static_cast<int>(std::find(members.begin(), members.end(), rank()) - members.begin());
    const int occurrence = splits_[world_ranks]++;
    return std::make_unique<ThreadsCommunicator>(world_, world_.split(messages.group(), world_ranks, occurrence), own);
  }

  void abort(const std::string& reason) noexcept override {
    world_.failure().raise(CommunicationError::Kind::aborted, context().world_rank, "", reason);
  }

 private:
  World& world_;
  std::map<std::vector<int>, int> splits_;
};

}  // namespace

void launch(int ranks, const WorldOptions& options, const std::function<void(Communicator&)>& body) {
  if (ranks < 1) throw InputError(fmt::format("at least one rank is needed, but the number is {}", ranks));
  World world(ranks, options);
  std::mutex mutex;
  std::exception_ptr first;
  const auto run_rank = [&](int rank) {
    try {
      ThreadsCommunicator communicator(world, world.world_group(), rank);
      body(communicator);
    } catch (...) {
      const std::exception_ptr exception = std::current_exception();
      {
        const std::lock_guard lock(mutex);
        if (!first) first = exception;
      }
      world.failure().raise(CommunicationError::Kind::lost_rank, rank, "",
                            fmt::format("rank {} failed: {}", rank, describe(exception)));
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
      try {
        threads.emplace_back(run_rank, rank);
      } catch (const std::system_error& error) {
        const std::string what = fmt::format(
            "the thread of rank {} of {} cannot be started: {}; use fewer ranks, or allow more processes (ulimit -u)",
            rank, ranks, error.code().message());
        {
          const std::lock_guard lock(mutex);
          if (!first) first = std::make_exception_ptr(InputError(what));
        }
        world.failure().raise(CommunicationError::Kind::lost_rank, rank, "", what);
        break;
      }
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace ddlbench::comm::threads
