#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "collectives/algorithm.h"
#include "graph/dtype.h"
#include "graph/placement.h"

namespace ddlbench::comm {

using Clock = std::chrono::steady_clock;

/// A peer died, timed out or broke the protocol. The error names the rank and the operation.
class CommunicationError : public std::runtime_error {
 public:
  enum class Kind { timed_out, lost_rank, aborted, mismatch };
  CommunicationError(Kind kind, int rank, std::string operation, const std::string& what);
  Kind kind() const { return kind_; }
  int rank() const { return rank_; }  ///< world rank that caused the error, −1 if unknown
  const std::string& operation() const { return operation_; }

 private:
  Kind kind_;
  int rank_;
  std::string operation_;
};

/// A communication that is prepared once and started many times; no start allocates. The transport makes progress also
/// while the owner computes. All members of a communicator must start its collectives in the same order. Messages
/// between two ranks match in the order of their starts.
class Operation {
 public:
  virtual ~Operation() = default;

  /// Returns at once. The buffers belong to the operation until it is complete.
  virtual void start() = 0;
  /// Reports that a captured graph with the work of start() is launched again. The first launch counts as start()
  /// itself.
  virtual void replayed() {}
  virtual bool complete() = 0;
  /// Blocks until the operation is complete. Throws CommunicationError if the peer makes no progress within the
  /// communicator's timeout, or if the world was aborted. A failure affects the whole world: all pending and later
  /// waits of all ranks throw the first failure, and so do start() and complete(). Polling complete() times out, too.
  virtual void wait() = 0;
  /// Returns whether the operation is already known to be complete. Makes no progress, and no timeout runs.
  virtual bool done() const { return false; }

  struct Times {
    Clock::time_point started;   ///< start() was called; or later, when its turn came
    Clock::time_point finished;  ///< valid once the operation is complete
  };
  virtual Times times() const = 0;
};

using OperationPtr = std::unique_ptr<Operation>;

/// The arguments of an all_reduce on untyped memory. Counts are in elements.
struct Reduce {
  const void* input = nullptr;
  void* output = nullptr;  ///< may equal the input
  std::int64_t count = 0;
  graph::DType dtype = graph::DType::f32;
  graph::Reduction reduction = graph::Reduction::sum;
  collectives::Algorithm algorithm = {};
  void* workspace = nullptr;  ///< of workspace_bytes(…) bytes; null: the operation allocates its own
  std::string label;          ///< for errors and the timeline
  /// Sends nothing before all but one of the rank's operations in turn that were started before are complete. All
  /// members must agree. No effect on NCCL, where a stream runs one after another, and on MPI's native algorithm, which
  /// matches calls by the order in which they start.
  bool in_turn = false;
};

/// The arguments of a reduce_scatter or an all_gather with parts of uneven size: member i's part has counts[i]
/// elements, and the whole is all parts in order.
struct Parts {
  const void* input = nullptr;  ///< all_gather: the rank's own part; reduce_scatter: the whole
  void* output = nullptr;       ///< all_gather: the whole; reduce_scatter: the rank's own part
  std::vector<std::int64_t> counts;
  graph::DType dtype = graph::DType::f32;
  graph::Reduction reduction = graph::Reduction::sum;  ///< for reduce_scatter only
  void* workspace = nullptr;
  std::string label;
  collectives::Algorithm algorithm = {};  ///< one of Communicator::algorithms()
};

/// The arguments of an all_to_all: send_counts[i] elements go to member i and receive_counts[i] elements come from it,
/// all in rank order. Never in place.
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

/// Bytes that this rank has passed to the transport since it started, by operation name ("all_reduce", "send", …).
/// Operations that sent nothing are absent.
using SentBytes = std::map<std::string, std::int64_t>;

/// A group of ranks that communicate, as seen by one of them. Used by one thread at a time, apart from its own progress
/// thread. Ranks in calls are ranks in this group. Operations must not outlive their communicator.
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
  /// Posts sends and receives together. A single send or receive is an exchange with one message. The byte counts of
  /// the two ends must agree: a mismatch is an error on both.
  virtual OperationPtr exchange(std::vector<Outgoing> sends, std::vector<Incoming> receives, std::string label) = 0;
  virtual OperationPtr barrier() = 0;

  /// Returns a new group of the ranks `members` of this group, in that order. Called by exactly these ranks, and in the
  /// same order for groups that share ranks.
  virtual std::unique_ptr<Communicator> split(const std::vector<int>& members) = 0;

  /// Returns the algorithms available for an all_reduce, a reduce_scatter or an all_gather, the ring first if there are
  /// several. Other algorithms throw InputError. The bytes of `native` are counted nominally, as if the ring had sent
  /// them.
  virtual std::vector<collectives::Algorithm> algorithms(graph::Collective kind) const = 0;

  /// Returns the bytes of scratch for an all_reduce or reduce_scatter of `count` elements in total, whatever the sizes
  /// of its parts.
  virtual std::int64_t workspace_bytes(graph::Collective kind, collectives::Algorithm algorithm, std::int64_t count,
                                       graph::DType dtype) const = 0;

  /// Returns whether operations run in a stream of the rank's device. start() then enqueues the whole operation on that
  /// stream, after everything that the stream waits for, and returns; later work on the device is ordered by the
  /// stream, and the host need not wait. Such operations complete in the order of their starts, so programs that handle
  /// operations in order of completion cannot use them. They have no times() (it throws ContractError), and their
  /// complete() and wait() refer to all work in the stream.
  virtual bool on_stream() const { return false; }
  /// Throws the failure of this world, if there is one. Advances operations that make progress only when polled.
  virtual void check() {}
  virtual std::chrono::milliseconds timeout() const = 0;
  /// Blocks until left() returns 0 and calls check() meanwhile. `left` returns how many things this rank's device has
  /// still to finish. If that number does not change within the timeout, aborts the world and throws a
  /// CommunicationError of kind timed_out that names `label`.
  virtual void watch(const std::function<std::int64_t()>& left, const std::string& label);

  /// Returns the bytes that this rank sent in all groups split from the same world.
  virtual SentBytes sent_bytes() const = 0;

  /// Makes all pending and later waits of the world throw CommunicationError{aborted} with this reason.
  virtual void abort(const std::string& reason) noexcept = 0;
};

/// Starts an operation and waits for it.
void run(const OperationPtr& operation);

/// A pause of one rank's link, which passes no message meanwhile. It begins at the first moment when both conditions
/// hold.
struct Stall {
  std::optional<int> rank;       ///< world rank; none: no link stalls
  double after_seconds = 0;      ///< since the beginning of the launch
  std::int64_t after_bytes = 0;  ///< that the rank has sent over its link
  double seconds = 0;            ///< 0: the link never recovers
};

/// Artificial limits on the link of each rank. 0: no limit.
struct Throttle {
  double latency_seconds = 0;
  double bytes_per_second = 0;
  double jitter_seconds = 0;  ///< each message has an additional latency, uniform in [0, jitter_seconds)
  Stall stall = {};
  bool any() const { return latency_seconds > 0 || bytes_per_second > 0 || jitter_seconds > 0 || stall.rank; }
};

struct WorldOptions {
  std::chrono::milliseconds timeout{60000};
  Throttle throttle = {};
};

/// A transport of this build, as shown by `list` and in the configuration's schema.
struct Transport {
  std::string name;
  std::string help;
  /// Runs `body` once for each of `ranks` ranks and returns when all have ended. If ranks fail, it aborts the others,
  /// waits until they have ended and rethrows the exception of the rank that failed first.
  void (*launch)(int ranks, const WorldOptions& options, const std::function<void(Communicator&)>& body);
  /// Whether ranks are processes, which share no memory. Each process then calls launch itself, and launch runs `body`
  /// once, as the rank of the process. In processes beyond `ranks` it returns at once.
  bool processes = false;
  /// Whether an MPI launcher starts these processes, possibly on several machines. Otherwise ddlbench itself does.
  bool launcher = false;
};

const std::vector<Transport>& transports();

/// Throws InputError if there is no such transport. The message lists those that are available.
const Transport& find_transport(const std::string& name);

}  // namespace ddlbench::comm
