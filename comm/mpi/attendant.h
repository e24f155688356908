#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "comm/mpi/control.h"

namespace ddlbench::comm::mpi {

/// A thread that handles the control messages of a process while no launch does. So the other processes get answers
/// however long this one computes or loads data, and notice within their timeout if it was stopped.
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
