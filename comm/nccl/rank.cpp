#include "comm/nccl/rank.h"

#include <fmt/core.h>
#include <algorithm>
#include <system_error>
#include <thread>

#include "comm/polling.h"

namespace ddlbench::comm::nccl {

namespace {

/// How long a destructor waits for an abort at most.
constexpr std::chrono::seconds abort_timeout{2};

std::string words(const char* text) {
  return text ? text : "";
}

}  // namespace

Rank::Rank(const Api& api, Communicator& control, cudaStream_t stream, std::chrono::milliseconds timeout)
    : api_(api), control_(control), stream_(stream), timeout_(timeout), world_rank_(control.rank()), failure_([] {}) {
  check_result(api_.allocate(&token_, 1), "cudaMalloc", "nccl");
  check_result(api_.fill(token_, 0, 1, stream_), "cudaMemsetAsync", "nccl");
}

Rank::~Rank() {
  // cudaFree would wait for work that an abort may not have ended yet. The byte is leaked in that case.
  if (!abort_started_) api_.release(token_);
}

void Rank::init(Handle& handle, int ranks, const ncclUniqueId& id, int rank, const std::string& label) {
  rethrow();
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  handle.aborted = std::make_shared<std::atomic<bool>>(false);
  ncclResult_t result = ncclSuccess;
  {
    const std::lock_guard lock(mutex_);
    result = api_.init_rank(&handle.communicator, ranks, id, rank, &config);
    handle.live = handle.communicator != nullptr;
    if (handle.live) handles_.push_back(&handle);
  }
  check_result(result, "ncclCommInitRankConfig", handle.communicator, label);
  wait_until_ready(handle, label);
}

void Rank::enqueue(Handle& handle, const std::vector<Call>& calls, const std::string& label) {
  rethrow();
  if (calls.empty()) return;
  ncclResult_t first = ncclSuccess;
  ncclResult_t last = ncclSuccess;
  {
    const std::lock_guard lock(mutex_);
    rethrow();
    first = api_.group_start();
    if (first == ncclSuccess) {
      for (const Call& call : calls) {
        first = call.make(api_, handle.communicator, stream_);
        if (first != ncclSuccess && first != ncclInProgress) break;
      }
      last = api_.group_end();
    }
  }
  check_result(first, "a call in a group", handle.communicator, label);
  check_result(last, "ncclGroupEnd", handle.communicator, label);
  if (last == ncclInProgress) wait_until_ready(handle, label);
}

ncclResult_t Rank::state_of(Handle& handle) {
  ncclResult_t state = ncclSuccess;
  const ncclResult_t result = api_.async_error(handle.communicator, &state);
  return result == ncclSuccess ? state : result;
}

void Rank::wait_until_ready(Handle& handle, const std::string& label) {
  PollingWait polling_wait(*this);
  while (true) {
    ncclResult_t state = ncclSuccess;
    {
      const std::lock_guard lock(mutex_);
      if (handle.live) state = state_of(handle);
    }
    rethrow();
    check_result(state, "ncclCommGetAsyncError", handle.communicator, label);
    if (state == ncclSuccess) return;
    polling_wait.pause(label);
  }
}

void Rank::end(Handle& handle, bool at_once) noexcept {
  const std::string label = "the end of a group";
  bool destroyed = handle.communicator == nullptr;
  try {
    if (!at_once && !failed() && handle.live) {
      ncclResult_t result = ncclSuccess;
      {
        const std::lock_guard lock(mutex_);
        if (handle.live) result = api_.finalize(handle.communicator);
      }
      check_result(result, "ncclCommFinalize", handle.communicator, label);
      wait_until_ready(handle, label);
      const std::lock_guard lock(mutex_);
      if (handle.live) {
        handle.live = false;
        destroyed = true;
        api_.destroy(handle.communicator);
      }
    }
  } catch (const std::exception&) {
    // All groups of the rank have been aborted, and every later call throws the failure.
  }
  std::shared_ptr<std::atomic<bool>> aborted;
  {
    const std::lock_guard lock(mutex_);
    if (handle.live) begin_abort(handle);
    handles_.erase(std::remove(handles_.begin(), handles_.end(), &handle), handles_.end());
    if (!destroyed) aborted = handle.aborted;
  }
  const Clock::time_point last = Clock::now() + std::min<Clock::duration>(timeout_, abort_timeout);
  while (aborted && !aborted->load() && Clock::now() < last) std::this_thread::sleep_for(polling_interval);
}

bool Rank::stream_done(const std::string& label) {
  const cudaError_t state = api_.stream_query(stream_);
  if (state == cudaErrorNotReady) return false;
  check_result(state, "the stream", label);
  return true;
}

void Rank::check(const std::string& label) {
  rethrow();
  Handle* broken = nullptr;
  ncclResult_t state = ncclSuccess;
  {
    const std::lock_guard lock(mutex_);
    for (Handle* handle : handles_) {
      if (!handle->live || broken) continue;
      state = state_of(*handle);
      if (state != ncclSuccess && state != ncclInProgress) broken = handle;
    }
  }
  if (broken) check_result(state, "ncclCommGetAsyncError", broken->communicator, label);
  try {
    control_.check();
  } catch (const CommunicationError& error) {
    fail(error.kind(), error.rank(), label, error.what());
  }
}

void Rank::check_result(ncclResult_t result, const char* call, ncclComm_t communicator, const std::string& label) {
  if (result == ncclSuccess || result == ncclInProgress) return;
  std::string what = fmt::format("rank {}: {}: {}", world_rank_, call, words(api_.error_string(result)));
  {
    const std::lock_guard lock(mutex_);
    const auto alive = [&](const Handle* handle) { return handle->live && handle->communicator == communicator; };
    if (std::any_of(handles_.begin(), handles_.end(), alive)) what += " (" + words(api_.last_error(communicator)) + ")";
  }
  // NCCL does not report which peer it lost.
  const bool lost = result == ncclRemoteError;
  fail(lost ? CommunicationError::Kind::lost_rank : CommunicationError::Kind::aborted, lost ? -1 : world_rank_, label,
       what);
}

void Rank::check_result(cudaError_t result, const char* call, const std::string& label) {
  if (result == cudaSuccess) return;
  fail(CommunicationError::Kind::aborted, world_rank_, label,
       fmt::format("rank {}: {}: {}", world_rank_, call, words(api_.cuda_error_string(result))));
}

void Rank::time_out(const std::string& label) {
  fail(CommunicationError::Kind::timed_out, -1, label,
       fmt::format("rank {} waited {} ms for its peers or its own stream; NCCL does not report which", world_rank_,
                   timeout_.count()));
}

void Rank::fail(CommunicationError::Kind kind, int rank, const std::string& label, const std::string& what) {
  failure_.raise(kind, rank, label, what);
  abort_handles();
  control_.abort(fmt::format("{}: {}", label, what));
  failure_.rethrow();
  throw CommunicationError(kind, rank, label, what);
}

void Rank::abort(const std::string& reason) noexcept {
  failure_.raise(CommunicationError::Kind::aborted, world_rank_, "", reason);
  abort_handles();
  control_.abort(reason);
}

void Rank::begin_abort(Handle& handle) noexcept {
  // ncclCommAbort runs in a detached thread, because NCCL returns only when no work of the group runs or could be
  // launched again by a captured graph.
  handle.live = false;
  abort_started_ = true;
  const auto end = [abort = api_.abort, communicator = handle.communicator, over = handle.aborted] {
    abort(communicator);
    over->store(true);
  };
  try {
    std::thread(end).detach();
  } catch (const std::system_error&) {
    end();
  }
}

void Rank::abort_handles() noexcept {
  const std::lock_guard lock(mutex_);
  for (Handle* handle : handles_) {
    if (handle->live) begin_abort(*handle);
  }
}

void PollingWait::check(const std::string& label) const {
  rank_->check(label);
  if (Clock::now() - since_ >= rank_->timeout()) rank_->time_out(label);
}

void PollingWait::pause(const std::string& label) {
  check(label);
  pause_polling(since_);
}

}  // namespace ddlbench::comm::nccl
