#include "bench/case/heartbeat.h"

#include "base/counted.h"
#include "base/units.h"
#include "platform/processor_time.h"

namespace ddlbench::bench {

using platform::processor_seconds;

Heartbeat::Heartbeat(Progress& progress, std::int64_t total, std::ostream& log, std::string phase)
    : progress_(progress), total_(total), log_(log), phase_(std::move(phase)), processor_seconds_(processor_seconds()) {
  progress_.alive(phase_, 0);
}

Heartbeat::~Heartbeat() {
  close(Clock::now());
}

void Heartbeat::step(const std::string& phase) {
  const auto now = Clock::now();
  ++done_;
  if (phase != phase_ || now - last_ >= std::chrono::milliseconds(200)) beat(phase, now);
  ++steps_;
}

void Heartbeat::enter(const std::string& phase) {
  beat(phase, Clock::now());
}

void Heartbeat::expect(const std::string& phase, double seconds) {
  log_ << phase << ": about " << format_seconds(seconds) << " remaining" << std::endl;
}

void Heartbeat::beat(const std::string& phase, Clock::time_point now) {
  if (phase != phase_) {
    close(now);
    phase_ = phase;
    steps_ = 0;
    begun_ = now;
    processor_seconds_ = processor_seconds();
  }
  last_ = now;
  progress_.alive(phase, total_ > 0 ? static_cast<double>(done_) / static_cast<double>(total_) : 0.0);
}

void Heartbeat::close(Clock::time_point now) {
  log_ << phase_ << ": " << format_seconds(std::chrono::duration<double>(now - begun_).count()) << " (processors "
       << format_seconds(processor_seconds() - processor_seconds_) << ")";
  if (steps_ > 0) log_ << ", " << counted(steps_, "step");
  log_ << std::endl;
}

}  // namespace ddlbench::bench
