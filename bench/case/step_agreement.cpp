#include "bench/case/step_agreement.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/stopwatch.h"

namespace ddlbench::bench {
namespace {

constexpr double seconds_between = 0.3;

}  // namespace

std::int64_t steps_until_next_agreement(std::int64_t steps, double seconds) {
  const double wanted = std::floor(seconds_between * static_cast<double>(steps) / std::max(seconds, 1e-9));
  return static_cast<std::int64_t>(std::clamp(wanted, 1.0, 2.0 * static_cast<double>(steps)));
}

StepAgreement::StepAgreement(comm::Communicator& communicator, std::function<StepRequest()> decide)
    : decide_(std::move(decide)), rank_(communicator.rank()) {
  comm::Broadcast call;
  call.data = message_.data();
  call.count = static_cast<std::int64_t>(message_.size());
  call.dtype = graph::DType::i64;
  call.label = "what rank 0 asks for after a step";
  broadcast_ = communicator.broadcast(call);
}

StepRequest StepAgreement::after_step() {
  if (--left_ > 0) return StepRequest::none;
  if (rank_ == 0) {
    message_ = {static_cast<std::int64_t>(decide_()), steps_until_next_agreement(interval_, seconds_since(last_))};
    last_ = Clock::now();
  }
  comm::run(broadcast_);
  interval_ = left_ = message_[1];
  return static_cast<StepRequest>(message_[0]);
}

}  // namespace ddlbench::bench
