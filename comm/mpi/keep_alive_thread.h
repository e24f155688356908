#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "comm/mpi/control.h"

namespace ddlbench::comm::mpi {

/// A thread that handles the control messages of a process while no launch does. So the other processes get answers
/// however long this one computes or loads data, and notice within their timeout if it was stopped.
class KeepAliveThread {
 public:
  explicit KeepAliveThread(Control& control);
  ~KeepAliveThread();
  KeepAliveThread(const KeepAliveThread&) = delete;
  KeepAliveThread& operator=(const KeepAliveThread&) = delete;

 private:
  void run();

  Control& control_;
  std::mutex mutex_;
  std::condition_variable wakes_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace ddlbench::comm::mpi
