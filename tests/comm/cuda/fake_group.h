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

/// A collective's part: 0, its number, the rank, 0. A message: 1, from, to, its number.
using Key = std::array<std::int64_t, 4>;

/// What the ranks of one unique id share: data on its way.
struct Meeting {
  explicit Meeting(int size) : ranks(size) {}
  struct Part {
    std::vector<std::byte> content;
    nccl::Call call;
    int readers = 0;
  };
  const int ranks;
  std::mutex mutex;
  std::condition_variable news;
  int joined = 0;
  std::map<Key, Part> parts;
};

/// One rank of it: a communicator of NCCL.
struct Member {
  std::shared_ptr<Meeting> meeting;
  int rank = 0;
  std::atomic<bool> aborted{false};
  // Touched by the rank's own thread alone.
  std::int64_t collectives = 0;
  std::map<int, std::int64_t> sent;
  std::map<int, std::int64_t> received;
  int looks_left = 0;  ///< until what is begun is done
  std::function<void()> after_looks;
};
using MemberPtr = std::shared_ptr<Member>;

/// A call with its place among those of its communicator.
struct Placed {
  nccl::Call call;
  Key key{};
};

/// Gives the next call of a member its place.
Placed place(Member& member, const nccl::Call& call);
/// Runs calls as one group, in the thread of a stream, until all is done or the member is aborted.
void run_group(Member& member, const std::vector<Placed>& group);

}  // namespace ddlbench::comm::testing::fake_nccl
