#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "bench/case/case_runner.h"

namespace ddlbench::bench {

/// Tells a Progress after steps, at most every fifth of a second, how far a case of `total` steps is.
class Pulse {
 public:
  Pulse(Progress& progress, std::int64_t total) : progress_(progress), total_(total) {}

  /// One more step is done. Only steps beat: a case that hangs falls silent.
  void step(const std::string& phase) {
    ++done_;
    const auto now = std::chrono::steady_clock::now();
    if (phase == phase_ && now - last_ < std::chrono::milliseconds(200)) return;
    beat(phase, now);
  }

  /// A stretch without steps begins.
  void enter(const std::string& phase) { beat(phase, std::chrono::steady_clock::now()); }

  Progress& progress() { return progress_; }

 private:
  void beat(const std::string& phase, std::chrono::steady_clock::time_point now) {
    phase_ = phase;
    last_ = now;
    progress_.alive(phase, total_ > 0 ? static_cast<double>(done_) / static_cast<double>(total_) : 0.0);
  }

  Progress& progress_;
  std::int64_t total_;
  std::int64_t done_ = 0;
  std::string phase_;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace ddlbench::bench
