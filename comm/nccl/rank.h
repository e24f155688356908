#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "comm/counters.h"
#include "comm/failure.h"
#include "comm/nccl/api.h"
#include "comm/nccl/calls.h"

namespace ddlbench::comm::nccl {

/// An ncclComm_t. It is ended once: destroyed after success, aborted otherwise.
struct Handle {
  ncclComm_t communicator = nullptr;
  bool live = false;                           ///< not ended: NCCL may be called with it
  std::shared_ptr<std::atomic<bool>> aborted;  ///< set when a started abort has completed
};

/// The state that the groups of one rank share: the stream, the counters and the failure. If one group fails, or a peer
/// reports a failure over the control world, all groups are aborted, every later call throws the first failure, and the
/// failure is reported to the control world. abort() may be called from any thread, all other functions from the rank's
/// own thread only.
class Rank {
 public:
  Rank(const Api& api, Communicator& control, cudaStream_t stream, std::chrono::milliseconds timeout);
  ~Rank();
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  const Api& api() const { return api_; }
  std::chrono::milliseconds timeout() const { return timeout_; }
  SentCounters& sent() { return sent_; }
  bool failed() const { return failure_.raised(); }
  void rethrow() const { failure_.rethrow(); }
  /// Returns the address of one byte of device memory, used by barriers.
  void* token() const { return token_; }

  /// Creates the communicator of a handle and waits until NCCL has initialised it.
  void init(Handle& handle, int ranks, const ncclUniqueId& id, int rank, const std::string& label);
  /// Enqueues the calls on the stream as one group. Returns when all of them are in the stream; this may wait for peers
  /// if connections have to be made.
  void enqueue(Handle& handle, const std::vector<Call>& calls, const std::string& label);
  /// Waits until NCCL's background work for the handle is done.
  void wait_until_ready(Handle& handle, const std::string& label);
  /// Waits for pending work, then destroys the handle. Aborts it if that fails or if `at_once` is set.
  void end(Handle& handle, bool at_once) noexcept;

  /// Returns whether all work in the stream is done.
  bool stream_done(const std::string& label);
  /// Throws if a group or a peer has failed.
  void check(const std::string& label);
  /// Raises a failure for all groups of this rank and for its peers, and throws it. `rank` is the rank that caused it,
  /// −1 if unknown.
  [[noreturn]] void fail(CommunicationError::Kind kind, int rank, const std::string& label, const std::string& what);
  [[noreturn]] void time_out(const std::string& label);
  /// Throws if `result` is an error. `call` names the function that returned it.
  void check_result(ncclResult_t result, const char* call, ncclComm_t communicator, const std::string& label);
  void check_result(cudaError_t result, const char* call, const std::string& label);
  void abort(const std::string& reason) noexcept;

 private:
  ncclResult_t state_of(Handle& handle);
  void begin_abort(Handle& handle) noexcept;
  void abort_handles() noexcept;

  const Api& api_;
  Communicator& control_;
  const cudaStream_t stream_;
  const std::chrono::milliseconds timeout_;
  const int world_rank_;
  SentCounters sent_;
  Failure failure_;
  std::mutex mutex_;  ///< held during every call about a handle, because another thread may abort it
  std::vector<Handle*> handles_;
  void* token_ = nullptr;
  bool abort_started_ = false;  ///< whether an abort was started
};

/// The owner of a group's handle. If the owner is destroyed by an exception, it does not wait for peers.
class OwnedHandle {
 public:
  explicit OwnedHandle(Rank& rank) : rank_(rank) {}
  ~OwnedHandle() { rank_.end(handle_, std::uncaught_exceptions() > exceptions_); }
  OwnedHandle(const OwnedHandle&) = delete;
  OwnedHandle& operator=(const OwnedHandle&) = delete;
  Handle& operator*() { return handle_; }

 private:
  Rank& rank_;
  Handle handle_;
  const int exceptions_ = std::uncaught_exceptions();
};

/// A wait by polling: it yields at first, then sleeps between polls, and ends with the rank's timeout.
class PollingWait {
 public:
  explicit PollingWait(Rank& rank) : rank_(&rank), since_(Clock::now()) {}
  /// Waits a moment. Throws if a group or a peer has failed, or on timeout.
  void pause(const std::string& label);
  void check(const std::string& label) const;  ///< does the same without waiting

 private:
  Rank* rank_;
  Clock::time_point since_;
};

}  // namespace ddlbench::comm::nccl
