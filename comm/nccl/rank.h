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

/// An ncclComm_t. It is ended once: destroyed when all went well, else aborted.
struct Handle {
  ncclComm_t communicator = nullptr;
  bool live = false;                           ///< not ended: NCCL may be asked about it
  std::shared_ptr<std::atomic<bool>> aborted;  ///< set when the abort, once begun, is over
};

/// What the groups of one rank share: the stream, the counters, and one fate. When one group fails, or a peer says over
/// the control world that it did, all are aborted, every later call throws the first failure, and the control world
/// is told. abort() may be called from any thread, all else from the rank's own.
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
  /// One byte of device memory, for barriers.
  void* token() const { return token_; }

  /// The first call of a handle's life: NCCL goes on in the background.
  void init(Handle& handle, int ranks, const ncclUniqueId& id, int rank, const std::string& label);
  /// Puts the calls on the stream as one group. It is there on return, which may wait for the peers, when connections
  /// are still to be made.
  void enqueue(Handle& handle, const std::vector<Call>& calls, const std::string& label);
  /// Waits until what NCCL does for the handle in the background is done.
  void settle(Handle& handle, const std::string& label);
  /// Waits for what is under way, then destroys it; aborts it where that fails, or `at_once`.
  void end(Handle& handle, bool at_once) noexcept;

  /// Whether all that is in the stream is done.
  bool stream_done(const std::string& label);
  /// Throws where a group or a peer failed.
  void check(const std::string& label);
  /// Throws what all groups of the rank, and the peers, shall know. `rank`: that is to blame, −1 where unknown.
  [[noreturn]] void fail(CommunicationError::Kind kind, int rank, const std::string& label, const std::string& what);
  [[noreturn]] void time_out(const std::string& label);
  /// Throws where `result` is an error of `call`.
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
  std::mutex mutex_;  ///< held in every call about a handle: another thread may abort
  std::vector<Handle*> handles_;
  void* token_ = nullptr;
  bool abandoned_ = false;  ///< an abort was begun
};

/// A handle from its place in a group's life to its end. Who leaves by an exception does not wait for what peers may
/// never do.
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

/// Between two looks at something that others do: yields at first, then naps. Ends with the rank's time-out.
class Patience {
 public:
  explicit Patience(Rank& rank) : rank_(&rank), since_(Clock::now()) {}
  /// Throws where a group or a peer failed, or when the time is over.
  void pause(const std::string& label);
  void check(const std::string& label) const;  ///< without waiting

 private:
  Rank* rank_;
  Clock::time_point since_;
};

}  // namespace ddlbench::comm::nccl
