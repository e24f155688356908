#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>

#include "bench/case/progress.h"

namespace ddlbench::bench {

/// Tells a Progress after steps, at most every fifth of a second, how far a case of `total` steps is, and a log, line
/// by line, how long each phase took once it is over.
class Pulse {
 public:
  /// `phase` begins. `log` outlives this.
  Pulse(Progress& progress, std::int64_t total, std::ostream& log, std::string phase = "prepare");
  ~Pulse();
  Pulse(const Pulse&) = delete;
  Pulse& operator=(const Pulse&) = delete;

  /// How many steps the case has, once it is known.
  void set_total(std::int64_t steps) { total_ = steps; }
  /// So many steps need not be done.
  void skip(std::int64_t steps) { done_ += steps; }
  /// One more step is done. Only steps beat: a case that hangs falls silent.
  void step(const std::string& phase);
  /// A stretch without steps begins, or goes on.
  void enter(const std::string& phase);
  /// In the log: what a phase is about to take, as far as that can be told.
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
  std::int64_t steps_ = 0;  ///< of this phase
  Clock::time_point begun_ = Clock::now();
  double processor_seconds_;  ///< of this process, when the phase began
  Clock::time_point last_{};
};

}  // namespace ddlbench::bench
