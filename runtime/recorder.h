#pragma once

#include <algorithm>

#include "comm/communicator.h"
#include "program/timeline.h"

namespace ddlbench::runtime {

inline std::int64_t nanoseconds(comm::Clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}
inline std::int64_t now() {
  return nanoseconds(comm::Clock::now());
}

/// The host's part of a step before it was put on the device: its number, when it began, and stretches of input.
struct BegunStep {
  std::int64_t step = 0;
  std::int64_t begin = 0;
  std::vector<program::Span> inputs;
};

/// Writes the timeline of one step after another into memory reserved beforehand.
class Recorder {
 public:
  /// Room for steps of so many instructions, of which so many communicate.
  void reserve(std::size_t instructions, std::size_t communications);
  static void reserve(BegunStep& begun);

  /// A stretch of the caller's own before the next step; overlapping stretches count once.
  void note_input(std::int64_t begin, std::int64_t end);

  /// A step that begins now, or began with the input noted since the last.
  void take(std::int64_t step, BegunStep& begun);
  /// Its timeline from now on. What the host did of it before `earliest`, when the device was still at the step before,
  /// took no time.
  void begin(const BegunStep& begun, std::int64_t earliest);
  void span(program::Activity activity, program::InstructionId instruction, std::int64_t begin, std::int64_t end) {
    step_.spans.push_back({activity, instruction, begin, end});
  }
  void transfer(program::InstructionId instruction, const comm::Operation::Times& times) {
    transfer({instruction, nanoseconds(times.started), nanoseconds(times.finished)});
  }
  void transfer(const program::Transfer& transfer) { step_.transfers.push_back(transfer); }
  /// The device had the step's input at `end`: what of it came after the host's own stretch.
  void input_until(std::int64_t end) {
    end = std::min(end, step_.end);
    if (end > time()) span(program::Activity::input, program::none, time(), end);
  }
  /// Until when the step is told.
  std::int64_t time() const { return step_.spans.empty() ? step_.begin : step_.spans.back().end; }
  /// Not before what is told of it.
  void end(std::int64_t time) { step_.end = std::max(time, this->time()); }

  const program::StepTimeline& step() const { return step_; }

 private:
  program::StepTimeline step_;
  std::vector<program::Span> inputs_;
};

}  // namespace ddlbench::runtime
