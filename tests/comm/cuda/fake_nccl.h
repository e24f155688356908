#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "comm/nccl/api.h"

namespace ddlbench::comm::testing {

/// A stream that runs its work in a thread of its own.
class FakeStream {
 public:
  FakeStream();
  ~FakeStream();  ///< waits until all work has run
  FakeStream(const FakeStream&) = delete;
  FakeStream& operator=(const FakeStream&) = delete;

  cudaStream_t handle() { return reinterpret_cast<cudaStream_t>(this); }
  void put(std::function<void()> work);
  bool idle();

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool busy_ = false;
  bool stop_ = false;
  std::thread thread_;
};

/// A fake of NCCL that follows its documentation, between threads, over FakeMemory and FakeStreams. It is always
/// nonblocking: pending work proceeds only when ncclCommGetAsyncError is called.
namespace fake_nccl {

const nccl::Api& api();

/// The faults to inject and the counters; one test at a time.
struct State {
  std::atomic<bool> no_gpu{false};
  std::atomic<bool> init_never_ends{false};
  std::atomic<int> running_collectives{
      1 << 30};  ///< number per communicator; later ones stay in the stream until it is aborted
  std::atomic<bool> abort_never_ends{false};  ///< the abort takes effect, but its call does not return
  std::atomic<int> failing_rank{-1};          ///< rank in a group: its next ncclCommGetAsyncError reports `error`
  std::atomic<ncclResult_t> error{ncclSystemError};
  std::atomic<int> failing_start{-1};  ///< rank in a group: its next ncclAllReduce returns ncclInvalidUsage

  std::atomic<int> made{0};
  std::atomic<int> destroyed{0};
  std::atomic<int> aborted{0};
  std::atomic<int> wrong_uses{0};  ///< use of an ended communicator or of wrong memory, and calls that do not match
};
State& state();
/// Removes all faults and sets all counters to 0.
void reset();

}  // namespace fake_nccl

}  // namespace ddlbench::comm::testing
