#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "comm/failure.h"
#include "comm/mpi/session.h"
#include "comm/progress.h"
#include "comm/scheduled_operation.h"
#include "comm/throttle.h"

namespace ddlbench::comm::mpi {

/// A group of ranks, as seen by one of them.
struct Group {
  std::uint64_t id = 0;      ///< equal on all members
  std::vector<int> members;  ///< world ranks
  int rank = 0;              ///< of this process
  MPI_Comm communicator = MPI_COMM_NULL;
  std::atomic<std::uint64_t> started{0};  ///< collectives started by this process
};
using GroupPtr = std::shared_ptr<Group>;

/// A message that this process sends, recorded for error reports.
struct SendRecord {
  std::uint64_t group = 0;
  int to = 0;  ///< world rank
  std::int64_t bytes = 0;
  std::string label;
  int tag = -1;  ///< tag of the latest post
};

/// One rank of one launch.
class World final : private Listener {
 public:
  /// Returns when all ranks have entered the launch, however long they are busy elsewhere: with a launch that this rank
  /// has no part in, or with preparations. Throws CommunicationError for a rank that is lost meanwhile because it has
  /// not answered within the timeout, and for one that has not entered after `arrival_timeout`.
  World(Session& session, int ranks, const WorldOptions& options,
        std::optional<std::chrono::milliseconds> arrival_timeout);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Reports to the other ranks that this one has ended, and returns when all have ended or can no longer be waited
  /// for. Then throws the failure if there is one.
  void end();

  int size() const { return ranks_; }
  RankContext& context() { return context_; }
  Failure& failure() { return failure_; }
  Session& session() { return session_; }
  const GroupPtr& world_group() const { return world_group_; }
  /// Registers a group, so that this rank can answer pings about it until the launch ends.
  void add(const GroupPtr& group);

  void add(const SendRecord& record);
  void record_tag(SendRecord& record, int tag);
  /// Removes a record. The latest ones are kept for a while.
  void remove(const SendRecord& record);
  /// Reports that a message is longer than this process, its receiver, expects. The sender knows the size and raises
  /// the failure.
  void report_too_long(const Group& group, int from, int tag, std::int64_t bytes);

  /// Does what PointToPoint::blame says: returns a rank that does not answer, or else one that has not started the
  /// collective.
  int blame(const Group& group, std::uint64_t sequence, int member);

 private:
  void failed(const ControlMessage& note) override;
  void too_long(int from, const ControlMessage& note) override;
  void broken(const CommunicationError& error) override;
  std::optional<std::uint64_t> started(std::uint64_t group) const override;
  /// Sends this control message to the other ranks and waits until all have sent the same. Returns false if it gives
  /// up.
  bool synchronize_at_end(ControlMessage::Type type);
  void report_failure();
  std::chrono::milliseconds ping_timeout() const;

  Session& session_;
  const int ranks_;
  const std::uint64_t launch_;
  std::atomic<bool> failure_known_{false};  ///< the other ranks already know the failure, or cannot be reached
  Failure failure_;
  Progress progress_;
  SentCounters sent_;
  Turns turns_;
  Link link_;
  RankContext context_;
  GroupPtr world_group_;
  mutable std::mutex registers_mutex_;
  std::map<std::uint64_t, GroupPtr> groups_;
  std::vector<const SendRecord*> send_records_;
  std::deque<SendRecord> past_send_records_;
};

}  // namespace ddlbench::comm::mpi
