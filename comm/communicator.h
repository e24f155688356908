#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "collectives/algorithm.h"
#include "graph/dtype.h"
#include "graph/placement.h"

namespace ddlbench::comm {

using Clock = std::chrono::steady_clock;

/// A peer died, stalled past the time-out, or broke the protocol. Names the rank and the operation.
class CommunicationError : public std::runtime_error {
 public:
  enum class Kind { timed_out, lost_rank, aborted, mismatch };
  CommunicationError(Kind kind, int rank, std::string operation, const std::string& what);
  Kind kind() const { return kind_; }
  int rank() const { return rank_; }  ///< the world rank that is to blame, −1 where unknown
  const std::string& operation() const { return operation_; }

 private:
  Kind kind_;
  int rank_;
  std::string operation_;
};

/// One communication, prepared once and started many times: no start allocates. Progress is made by the
/// transport, also while the owner computes. All members of a communicator start its collectives in the
/// same order; messages between two ranks match in the order of their starts.
class Operation {
 public:
  virtual ~Operation() = default;

  /// Returns at once. The buffers are the operation's until it is complete.
  virtual void start() = 0;
  /// What start() put on a stream while that was recorded is launched again; the first launch counts as start() itself.
  virtual void replayed() {}
  virtual bool complete() = 0;
  /// Blocks; throws CommunicationError when the communicator's time-out passes without progress of the
  /// peer, or when the world was aborted. A failure is the world's: the first one is thrown by every pending
  /// and later wait of all ranks, and by start() and complete(). complete() times out, too, if it is polled.
  virtual void wait() = 0;
  /// Whether it is known to be complete, for who does not wait for it yet: no progress is made and no time-out runs.
  virtual bool done() const { return false; }

  struct Times {
    Clock::time_point started;   ///< start() was called
    Clock::time_point finished;  ///< valid once complete
  };
  virtual Times times() const = 0;
};

using OperationPtr = std::unique_ptr<Operation>;

/// A tensor part of a collective over untyped memory; counts are in elements.
struct Reduce {
  const void* input = nullptr;
  void* output = nullptr;  ///< may be the input
  std::int64_t count = 0;
  graph::DType dtype = graph::DType::f32;
  graph::Reduction reduction = graph::Reduction::sum;
  collectives::Algorithm algorithm = {};
  void* workspace = nullptr;  ///< workspace_bytes(…) of it; null: the operation owns its own
  std::string label;          ///< for errors and the timeline
};

/// Parts of uneven size: member i's part has counts[i] elements and the whole is all parts in order.
struct Parts {
  const void* input = nullptr;  ///< all_gather: the own part; reduce_scatter: the whole
  void* output = nullptr;       ///< all_gather: the whole; reduce_scatter: the own part
  std::vector<std::int64_t> counts;
  graph::DType dtype = graph::DType::f32;
  graph::Reduction reduction = graph::Reduction::sum;  ///< reduce_scatter alone
  void* workspace = nullptr;
  std::string label;
  collectives::Algorithm algorithm = {};  ///< that, or native
};

/// all_to_all: to member i go send_counts[i] elements, from it come receive_counts[i], all in rank order.
/// Never in place.
struct Redistribute {
  const void* input = nullptr;
  void* output = nullptr;
  std::vector<std::int64_t> send_counts;
  std::vector<std::int64_t> receive_counts;
  graph::DType dtype = graph::DType::f32;
  std::string label;
};

struct Broadcast {
  void* data = nullptr;
  std::int64_t count = 0;
  graph::DType dtype = graph::DType::f32;
  int root = 0;
  std::string label;
};

struct Outgoing {
  const void* data = nullptr;
  std::int64_t bytes = 0;
  int to = 0;
};
struct Incoming {
  void* data = nullptr;
  std::int64_t bytes = 0;
  int from = 0;
};

/// Bytes handed to the transport by this rank, by operation name ("all_reduce", "send", …), since it began.
/// Operations that sent none are absent.
using SentBytes = std::map<std::string, std::int64_t>;

/// A group of ranks that communicate. Made per rank; used by one thread at a time (its progress aside).
/// Ranks in calls are ranks in this group. A returned operation must not outlive its communicator.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual std::string transport() const = 0;  ///< "threads", "mpi", "nccl", …

  virtual OperationPtr all_reduce(const Reduce& call) = 0;
  virtual OperationPtr reduce_scatter(const Parts& call) = 0;
  virtual OperationPtr all_gather(const Parts& call) = 0;
  virtual OperationPtr all_to_all(const Redistribute& call) = 0;
  virtual OperationPtr broadcast(const Broadcast& call) = 0;
  /// Sends and receives posted together. A single send or receive is an exchange of one. Byte counts
  /// of the two ends must agree: a mismatch is an error on both.
  virtual OperationPtr exchange(std::vector<Outgoing> sends, std::vector<Incoming> receives, std::string label) = 0;
  virtual OperationPtr barrier() = 0;

  /// The ranks `members` of this group, in that order, as a group of their own. Called by all of them,
  /// and by them alone, in the same order among groups that share ranks.
  virtual std::unique_ptr<Communicator> split(const std::vector<int>& members) = 0;

  /// The algorithms that it has for an all_reduce, a reduce_scatter or an all_gather, the ring first. Others throw
  /// InputError. What `native` sends is counted as the ring would send it: nominally.
  virtual std::vector<collectives::Algorithm> algorithms(graph::Collective kind) const = 0;

  /// Scratch that an all_reduce or reduce_scatter of `count` elements in all wants, whatever its counts.
  virtual std::int64_t workspace_bytes(graph::Collective kind, collectives::Algorithm algorithm, std::int64_t count,
                                       graph::DType dtype) const = 0;

  /// Whether operations run in a stream of the rank's device: start() puts them there, wholly, in order with what the
  /// stream was held by, and returns; what follows on the device follows the stream, and the host need not wait. Such
  /// operations complete in the order of their starts: a program that serves whoever comes first cannot use them.
  /// They have no times() (ContractError), and their complete() and wait() ask for all that is in the stream.
  virtual bool on_stream() const { return false; }
  /// Throws what every pending wait of this world would throw, and moves what moves only when asked.
  virtual void check() {}
  /// Blocks until left() is 0, the things that this rank still waits for, with check() meanwhile. The time-out counts
  /// from when left() last changed.
  virtual void watch(const std::function<std::int64_t()>& left, const std::string& label);

  /// Of this rank over all groups split from the same world.
  virtual SentBytes sent_bytes() const = 0;

  /// Every pending and later wait of the world throws CommunicationError{aborted} with this reason.
  virtual void abort(const std::string& reason) noexcept = 0;
};

/// Convenience: start and wait.
void run(const OperationPtr& operation);

/// How slow each rank's link to the others is made. 0: as fast as it is.
struct Throttle {
  double latency_seconds = 0;
  double bytes_per_second = 0;
  bool any() const { return latency_seconds > 0 || bytes_per_second > 0; }
};

struct WorldOptions {
  std::chrono::milliseconds timeout{60000};
  Throttle throttle = {};
};

/// A transport that this build has, for `list` and for the configuration's schema.
struct Transport {
  std::string name;
  std::string help;
  /// Runs `body` as each of `ranks` ranks and returns when all have; rethrows the exception of the rank
  /// that failed first, after the others were aborted and have ended.
  void (*launch)(int ranks, const WorldOptions& options, const std::function<void(Communicator&)>& body);
  /// Ranks are processes that a launcher started: each calls launch itself, which runs `body` once, as the rank
  /// that the process is, and only there; a process beyond `ranks` returns at once. They share no memory.
  bool processes = false;
};

const std::vector<Transport>& transports();

/// Throws InputError listing the transports there are.
const Transport& find_transport(const std::string& name);

}  // namespace ddlbench::comm
