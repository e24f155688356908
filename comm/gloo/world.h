#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "comm/failure.h"
#include "comm/gloo/session.h"
#include "comm/progress.h"
#include "comm/scheduled_operation.h"
#include "comm/throttle.h"

namespace ddlbench::comm::gloo {

/// A group of ranks, as seen by one of them.
struct Group {
  std::uint64_t id = 0;                   ///< equal on all members
  std::vector<int> members;               ///< world ranks
  int rank = 0;                           ///< of this process
  std::atomic<std::uint64_t> started{0};  ///< collectives started by this process
};
using GroupPtr = std::shared_ptr<Group>;

/// One rank of one launch.
class World final : private Listener {
 public:
  /// Returns when all ranks have entered the launch. Throws CommunicationError for a rank that is lost meanwhile.
  World(Session& session, int ranks, const WorldOptions& options);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Reports to the other ranks that this one has ended, and returns when all have ended or can no longer be waited
  /// for. Then throws the failure if there is one.
  void end();

  RankContext& context() { return context_; }
  Failure& failure() { return failure_; }
  Session& session() { return session_; }
  std::uint64_t launch() const { return launch_; }
  const GroupPtr& world_group() const { return world_group_; }
  /// Registers a group, so that this rank can answer pings about it until the launch ends.
  void add(const GroupPtr& group);
  /// Reports that two ends of a message disagree on its size. `label`: of the receive.
  void mismatch(int source, std::int64_t sent, std::int64_t expected, const std::string& label);

  /// Does what PointToPoint::blame says: returns a rank that does not answer, or else one that has not started the
  /// collective.
  int blame(const Group& group, std::uint64_t sequence, int member);

 private:
  void advanced() override { progress_.notify(); }
  void failed(const CommunicationError& error, const std::string& what) override;
  void mismatch(const Address& address, std::int64_t sent, std::int64_t expected) override;
  void lost(int rank, const std::string& why) override;
  std::optional<std::uint64_t> started(std::uint64_t group) override;
  void report_failure();
  std::chrono::milliseconds ping_timeout() const;
  Answers ping_all(std::uint64_t group);

  Session& session_;
  const int ranks_;
  const std::uint64_t launch_;
  std::atomic<bool> failure_known_{false};  ///< the other ranks already know the failure
  Failure failure_;
  Progress progress_;
  SentCounters sent_;
  Turns turns_;
  Link link_;
  RankContext context_;
  GroupPtr world_group_;
  std::mutex groups_mutex_;
  std::map<std::uint64_t, GroupPtr> groups_;
};

}  // namespace ddlbench::comm::gloo
