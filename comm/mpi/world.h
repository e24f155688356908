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

/// Ranks that communicate, as one of them sees it.
struct Group {
  std::uint64_t id = 0;      ///< the same on all members
  std::vector<int> members;  ///< world ranks
  int rank = 0;              ///< of this process
  MPI_Comm communicator = MPI_COMM_NULL;
  std::atomic<std::uint64_t> started{0};  ///< collectives, by this process
};
using GroupPtr = std::shared_ptr<Group>;

/// A message that this process sends, as far as others may ask about it.
struct Sending {
  std::uint64_t group = 0;
  int to = 0;  ///< world rank
  std::int64_t bytes = 0;
  std::string label;
  int tag = -1;  ///< of the last post
};

/// One rank of one launch.
class World final : private Listener {
 public:
  /// Returns when all ranks have come, however long they are busy elsewhere: with a launch that left this one
  /// out, or with preparations of their own. Throws CommunicationError for one that is lost meanwhile: it has given no
  /// sign of life for the time-out; or that has not come after `time_to_come`.
  World(Session& session, int ranks, const WorldOptions& options,
        std::optional<std::chrono::milliseconds> time_to_come);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Tells the others that this rank has ended, and returns when all have, or cannot be waited for any longer:
  /// then throws the failure, as it does where there is one already.
  void end();

  int size() const { return ranks_; }
  RankContext& context() { return context_; }
  Failure& failure() { return failure_; }
  Session& session() { return session_; }
  const GroupPtr& everyone() const { return everyone_; }
  /// Has all ranks know it for as long as the launch lasts.
  void add(const GroupPtr& group);

  void add(const Sending& sending);
  void note_tag(Sending& sending, int tag);
  /// Some of them are remembered for a while.
  void remove(const Sending& sending);
  /// A message is longer than its receiver, this process, expects: its sender will say how long, and fail.
  void report_too_long(const Group& group, int from, int tag, std::int64_t bytes);

  /// As PointToPoint::blame: who does not answer, or else has not begun the collective.
  int blame(const Group& group, std::uint64_t sequence, int member);

 private:
  void failed(const Note& note) override;
  void too_long(int from, const Note& note) override;
  void broken(const CommunicationError& error) override;
  std::uint64_t started(std::uint64_t group) const override;
  /// Tells the others, and waits until all have told the same; false if that is given up.
  bool meet_at_end(Note::Type type);
  void spread_failure();
  std::chrono::milliseconds patience() const;
  /// The first of the ranks that does not answer, −1 if all do; prefers `suspect`.
  int silent(const std::vector<std::optional<std::uint64_t>>& answers, int suspect) const;

  Session& session_;
  const int ranks_;
  const std::uint64_t launch_;
  std::atomic<bool> told_{false};  ///< of the failure, by another rank
  Failure failure_;
  Progress progress_;
  SentCounters sent_;
  Link link_;
  RankContext context_;
  GroupPtr everyone_;
  mutable std::mutex registers_mutex_;
  std::map<std::uint64_t, GroupPtr> groups_;
  std::vector<const Sending*> sendings_;
  std::deque<Sending> former_sendings_;
};

}  // namespace ddlbench::comm::mpi
