#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "comm/mpi/control.h"

namespace ddlbench::comm::mpi {

/// A thread that takes a process's notes while no launch does: others hear that it is there however long it computes
/// or loads, and notice within their time-out when it was stopped.
class Attendant {
 public:
  explicit Attendant(Control& control);
  ~Attendant();
  Attendant(const Attendant&) = delete;
  Attendant& operator=(const Attendant&) = delete;

 private:
  void attend();

  Control& control_;
  std::mutex mutex_;
  std::condition_variable wakes_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace ddlbench::comm::mpi
