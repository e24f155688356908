#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "comm/nccl/api.h"

namespace ddlbench::comm::testing {

/// A stream that runs what is put on it in a thread of its own.
class FakeStream {
 public:
  FakeStream();
  ~FakeStream();  ///< when all that was put on it has run
  FakeStream(const FakeStream&) = delete;
  FakeStream& operator=(const FakeStream&) = delete;

  cudaStream_t handle() { return reinterpret_cast<cudaStream_t>(this); }
  void put(std::function<void()> work);
  bool idle();

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<std::function<void()>> queue_;
  bool busy_ = false;
  bool stop_ = false;
  std::thread thread_;
};

/// NCCL as the interface describes it, between threads, over FakeMemory and FakeStreams. It is never blocking: what is
/// begun goes on only when ncclCommGetAsyncError is asked.
namespace fake_nccl {

const nccl::Api& api();

/// What goes wrong, and what was counted; one test at a time.
struct State {
  std::atomic<bool> no_gpu{false};
  std::atomic<bool> init_never_ends{false};
  std::atomic<int> running_collectives{
      1 << 30};                               ///< of a communicator: later ones stay in the stream until it is aborted
  std::atomic<bool> abort_never_ends{false};  ///< it takes effect, but does not return
  std::atomic<int> failing_rank{-1};          ///< of a group: its next ncclCommGetAsyncError is `error`
  std::atomic<ncclResult_t> error{ncclSystemError};
  std::atomic<int> failing_start{-1};  ///< of a group: its next ncclAllReduce is an ncclInvalidUsage

  std::atomic<int> made{0};
  std::atomic<int> destroyed{0};
  std::atomic<int> aborted{0};
  std::atomic<int> wrong_uses{0};  ///< of a communicator that has ended, of memory, of calls that do not match
};
State& state();
/// Without faults, all counts 0.
void reset();

}  // namespace fake_nccl

}  // namespace ddlbench::comm::testing
