#pragma once

#include <memory>
#include <string>

#include "comm/gloo/world.h"
#include "comm/point_to_point.h"

namespace ddlbench::comm::gloo {

/// The messages of one member of a group over gloo's connections.
class Messages final : public PointToPoint {
 public:
  Messages(World& world, GroupPtr group) : world_(world), group_(std::move(group)) {}

  int rank() const override { return group_->rank; }
  int size() const override { return static_cast<int>(group_->members.size()); }
  std::unique_ptr<Request> send(int to, const void* data, std::int64_t bytes, const std::string& label) override;
  std::unique_ptr<Request> receive(int from, const ReceiveTarget& target, std::int64_t bytes,
                                   const std::string& label) override;
  bool reduces() const override { return false; }
  std::uint64_t next_collective() override { return group_->started++; }
  int blame(std::uint64_t sequence, int member) const override { return world_.blame(*group_, sequence, member); }

  const GroupPtr& group() const { return group_; }

 private:
  World& world_;
  GroupPtr group_;
};

}  // namespace ddlbench::comm::gloo
