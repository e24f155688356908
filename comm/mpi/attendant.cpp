#include "comm/mpi/attendant.h"

namespace ddlbench::comm::mpi {

namespace {

constexpr std::chrono::milliseconds between_looks{20};

}  // namespace

Attendant::Attendant(Control& control) : control_(control), thread_([this] { attend(); }) {}

Attendant::~Attendant() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wakes_.notify_one();
  thread_.join();
}

void Attendant::attend() {
  std::unique_lock lock(mutex_);
  while (!wakes_.wait_for(lock, between_looks, [this] { return stop_; })) {
    try {
      control_.advance_if_idle();
    } catch (const CommunicationError&) {  // MPI is broken; the next communication reports it
      return;
    }
  }
}

}  // namespace ddlbench::comm::mpi
