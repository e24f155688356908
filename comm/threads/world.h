#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "comm/failure.h"
#include "comm/progress.h"
#include "comm/scheduled_operation.h"
#include "comm/threads/mailbox.h"
#include "comm/throttle.h"

namespace ddlbench::comm::threads {

/// A group of ranks, shared by all its members.
struct Group {
  std::uint64_t id = 0;
  std::vector<int> members;                         ///< world ranks
  std::vector<std::atomic<std::uint64_t>> started;  ///< number of collectives started, by member

  Group(std::uint64_t group_id, std::vector<int> group_members)
      : id(group_id), members(std::move(group_members)), started(members.size()) {}
};
using GroupPtr = std::shared_ptr<Group>;

/// What the ranks of one launch share.
class World {
 public:
  World(int ranks, const WorldOptions& options);

  int size() const { return static_cast<int>(ranks_.size()); }
  RankContext& context(int rank) { return ranks_[static_cast<std::size_t>(rank)]->context; }
  Mailbox& mailbox(int rank) { return ranks_[static_cast<std::size_t>(rank)]->mailbox; }
  void notify(int rank) { ranks_[static_cast<std::size_t>(rank)]->progress.notify(); }
  Failure& failure() { return failure_; }
  int first_stalled() const;  ///< a rank whose link is stalled, or −1

  const GroupPtr& world_group() const { return world_group_; }
  /// Returns the group that the members make of `parent` with their split number `occurrence` into these members.
  GroupPtr split(const Group& parent, const std::vector<int>& members, int occurrence);

 private:
  struct Rank {
    Rank(int rank, const WorldOptions& options, Failure& failure, bool spin);
    Mailbox mailbox;
    Progress progress;
    SentCounters sent;
    Turns turns;
    Link link;
    RankContext context;
  };
  struct Pending {
    GroupPtr group;
    std::size_t expected = 0;  ///< members that have not fetched the group yet
  };

  Failure failure_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  GroupPtr world_group_;
  std::mutex groups_mutex_;
  std::uint64_t next_group_ = 1;
  std::map<std::pair<std::uint64_t, std::pair<std::vector<int>, int>>, Pending> pending_;
};

}  // namespace ddlbench::comm::threads
