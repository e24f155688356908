#include "comm/mpi/keep_alive_thread.h"

namespace ddlbench::comm::mpi {

namespace {

constexpr std::chrono::milliseconds advance_interval{20};

}  // namespace

KeepAliveThread::KeepAliveThread(Control& control) : control_(control), thread_([this] { run(); }) {}

KeepAliveThread::~KeepAliveThread() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wakes_.notify_one();
  thread_.join();
}

void KeepAliveThread::run() {
  std::unique_lock lock(mutex_);
  while (!wakes_.wait_for(lock, advance_interval, [this] { return stop_; })) {
    try {
      control_.advance_if_idle();
    } catch (const CommunicationError&) {  // MPI is broken; the next communication reports it
      return;
    }
  }
}

}  // namespace ddlbench::comm::mpi
