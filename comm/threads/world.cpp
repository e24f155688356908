#include "comm/threads/world.h"

#include <algorithm>
#include <numeric>

namespace ddlbench::comm::threads {

World::Rank::Rank(int rank, const WorldOptions& options, Failure& failure, bool spin)
    : progress(spin),
      link(options.throttle, rank, progress),
      context(rank, options, progress, failure, sent, turns, link) {}

World::World(int ranks, const WorldOptions& options)
    : failure_([this] {
        for (int rank = 0; rank < size(); ++rank) notify(rank);
      }) {
  const bool spin = static_cast<unsigned>(ranks) <= std::thread::hardware_concurrency();
  for (int rank = 0; rank < ranks; ++rank) {
    ranks_.push_back(std::make_unique<Rank>(rank, options, failure_, spin));
  }
  std::vector<int> members(static_cast<std::size_t>(ranks));
  std::iota(members.begin(), members.end(), 0);
  world_group_ = std::make_shared<Group>(0, std::move(members));
}

int World::first_stalled() const {
  const auto stalled = [](const std::unique_ptr<Rank>& rank) { return rank->link.stalled(); };
  const auto found = std::find_if(ranks_.begin(), ranks_.end(), stalled);
  return found == ranks_.end() ? -1 : static_cast<int>(found - ranks_.begin());
}

GroupPtr World::split(const Group& parent, const std::vector<int>& members, int occurrence) {
  const std::lock_guard lock(groups_mutex_);
  const auto key = std::make_pair(parent.id, std::make_pair(members, occurrence));
  auto [entry, inserted] = pending_.try_emplace(key);
  if (inserted) entry->second = {std::make_shared<Group>(next_group_++, members), members.size()};
  GroupPtr group = entry->second.group;
  if (--entry->second.expected == 0) pending_.erase(entry);
  return group;
}

}  // namespace ddlbench::comm::threads
