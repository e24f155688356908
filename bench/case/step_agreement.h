#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>

#include "comm/communicator.h"

namespace ddlbench::bench {

/// What rank 0 asks of all ranks at the end of a step.
enum class StepRequest : std::int64_t { none, save, stop };

/// Returns after how many further steps the ranks should agree again if the last `steps` steps took `seconds`: about
/// 0.3 s of steps, at least one, and at most twice as many as before, because a few steps may have been short by
/// chance.
std::int64_t steps_until_next_agreement(std::int64_t steps, double seconds);

/// Lets rank 0 decide at the ends of steps, by its clock or by the file system, what all ranks do after the same step.
/// Rank 0 broadcasts its request and the number of steps until the next agreement, which all ranks count; the steps in
/// between cost nothing.
class StepAgreement {
 public:
  /// Rank 0 calls `decide` at each agreement. Collective.
  StepAgreement(comm::Communicator& communicator, std::function<StepRequest()> decide);
  StepAgreement(const StepAgreement&) = delete;
  StepAgreement& operator=(const StepAgreement&) = delete;

  /// To be called by all ranks after each step. Returns rank 0's request; between agreements `none`. Collective.
  StepRequest after_step();
  /// Excludes the time since the last step, in which something else was done, from the time of steps.
  void restart_clock() { last_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;

  std::function<StepRequest()> decide_;
  int rank_;
  std::array<std::int64_t, 2> message_{};  ///< the request, and the steps until the next agreement
  comm::OperationPtr broadcast_;
  std::int64_t interval_ = 1;  ///< steps from the last agreement to the next one
  std::int64_t left_ = 1;      ///< steps until the next agreement
  Clock::time_point last_ = Clock::now();
};

}  // namespace ddlbench::bench
