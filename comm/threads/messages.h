#pragma once

#include <memory>
#include <string>

#include "comm/point_to_point.h"
#include "comm/threads/world.h"

namespace ddlbench::comm::threads {

/// The messages of one member of a group, through the mailboxes of its world.
class Messages final : public PointToPoint {
 public:
  Messages(World& world, GroupPtr group, int rank) : world_(world), group_(std::move(group)), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(group_->members.size()); }
  std::unique_ptr<Request> send(int to, const void* data, std::int64_t bytes, const std::string& label) override;
  std::unique_ptr<Request> receive(int from, const ReceiveTarget& target, std::int64_t bytes,
                                   const std::string& label) override;
  bool reduces() const override { return true; }
  std::uint64_t next_collective() override { return group_->started[static_cast<std::size_t>(rank_)]++; }
  /// Returns a rank whose link is stalled, if there is one. Otherwise returns the first member, starting with `member`,
  /// that has not started the collective yet: the others wait for it. If all have started it, returns `member`.
  int blame(std::uint64_t sequence, int member) const override;

  const Group& group() const { return *group_; }

 private:
  int world_rank(int member) const { return group_->members[static_cast<std::size_t>(member)]; }

  World& world_;
  GroupPtr group_;
  int rank_;
};

}  // namespace ddlbench::comm::threads
