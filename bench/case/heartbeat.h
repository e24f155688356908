#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>

#include "bench/case/progress.h"

namespace ddlbench::bench {

/// Reports the progress of a case of `total` steps to a Progress: after steps, at most every 0.2 s, and when a phase
/// begins. Logs the duration of each phase, one line each, once it is over.
class Heartbeat {
 public:
  /// Begins `phase`. `log` must outlive this object.
  Heartbeat(Progress& progress, std::int64_t total, std::ostream& log, std::string phase = "prepare");
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  /// Sets the number of steps of the case, once it is known.
  void set_total(std::int64_t steps) { total_ = steps; }
  /// Counts `steps` steps as done that are not needed.
  void skip(std::int64_t steps) { done_ += steps; }
  /// Counts one step. While a phase runs, only steps report progress, so a hanging case sends no more heartbeats.
  void step(const std::string& phase);
  /// Reports that a phase begins, or that it continues without a step.
  void enter(const std::string& phase);
  /// Logs the expected duration of a phase, where it can be estimated.
  void expect(const std::string& phase, double seconds);

  Progress& progress() { return progress_; }

 private:
  using Clock = std::chrono::steady_clock;
  void beat(const std::string& phase, Clock::time_point now);
  void close(Clock::time_point now);

  Progress& progress_;
  std::int64_t total_;
  std::ostream& log_;
  std::string phase_;
  std::int64_t done_ = 0;
  std::int64_t steps_ = 0;  ///< in this phase
  Clock::time_point begun_ = Clock::now();
  double processor_seconds_;  ///< of this process, when the phase began
  Clock::time_point last_{};
};

}  // namespace ddlbench::bench
