#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "comm/nccl/calls.h"

namespace ddlbench::comm::testing::fake_nccl {

/// A part of a collective: 0, its number, the rank, 0. A message: 1, sender, receiver, its number.
using Key = std::array<std::int64_t, 4>;

/// The state that the ranks of one unique ID share: data in transit.
struct Clique {
  explicit Clique(int size) : ranks(size) {}
  struct Part {
    std::vector<std::byte> content;
    nccl::Call call;
    int readers = 0;
  };
  const int ranks;
  std::mutex mutex;
  std::condition_variable changed;
  int joined = 0;
  std::map<Key, Part> parts;
};

/// One rank of a clique: a fake NCCL communicator.
struct Member {
  std::shared_ptr<Clique> clique;
  int rank = 0;
  std::atomic<bool> aborted{false};
  // Used only by the rank's own thread.
  std::int64_t collectives = 0;
  std::map<int, std::int64_t> sent;
  std::map<int, std::int64_t> received;
  int polls_left = 0;  ///< polls until the pending work is done
  std::function<void()> after_polls;
};
using MemberPtr = std::shared_ptr<Member>;

/// A call with its position among those of its communicator.
struct Placed {
  nccl::Call call;
  Key key{};
};

/// Assigns the next position of a member to a call.
Placed place(Member& member, const nccl::Call& call);
/// Runs calls as one group in the thread of a stream. Returns when all are done or the member is aborted.
void run_group(Member& member, const std::vector<Placed>& group);

}  // namespace ddlbench::comm::testing::fake_nccl
