#include "slow_communicator.h"

#include <thread>

namespace ddlbench::test {
namespace {

class SlowOperation final : public comm::Operation {
 public:
  SlowOperation(comm::OperationPtr inner, const std::chrono::milliseconds& delay)
      : inner_(std::move(inner)), delay_(delay) {}
  void start() override { inner_->start(); }
  bool complete() override { return inner_->complete(); }
  void wait() override {
    inner_->wait();
    if (delay_.count() > 0) std::this_thread::sleep_for(delay_);
    finished_ = comm::Clock::now();
  }
  Times times() const override { return {inner_->times().started, finished_}; }

 private:
  comm::OperationPtr inner_;
  const std::chrono::milliseconds& delay_;
  comm::Clock::time_point finished_;
};

}  // namespace

comm::OperationPtr SlowCommunicator::all_reduce(const comm::Reduce& call) {
  return std::make_unique<SlowOperation>(inner_->all_reduce(call), delay_);
}

}  // namespace ddlbench::test
