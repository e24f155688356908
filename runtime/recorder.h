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

/// The host's part of a step before the step is enqueued: its number, its body, when it began, and its input spans.
struct BegunStep {
  std::int64_t step = 0;
  int body = 0;
  std::int64_t begin = 0;
  std::vector<program::Span> inputs;
};

/// Records the timeline of one step after another, in memory reserved beforehand.
class Recorder {
 public:
  /// Reserves memory for steps of `instructions` instructions, `communications` of which communicate.
  void reserve(std::size_t instructions, std::size_t communications);
  static void reserve(BegunStep& begun);

  /// Adds an input span of the caller before the next step. Overlapping spans are merged.
  void note_input(std::int64_t begin, std::int64_t end);

  /// Stores the begin and the input of a step. It begins now, or with the input recorded since the last step.
  void take(std::int64_t step, int body, BegunStep& begun);
  /// Starts the timeline of a step. Time before `earliest`, when the device was still running the previous step, does
  /// not count.
  void begin(const BegunStep& begun, std::int64_t earliest);
  void span(program::Activity activity, program::InstructionId instruction, std::int64_t begin, std::int64_t end) {
    step_.spans.push_back({activity, instruction, begin, end});
  }
  void transfer(program::InstructionId instruction, const comm::Operation::Times& times) {
    transfer({instruction, nanoseconds(times.started), nanoseconds(times.finished)});
  }
  void transfer(const program::Transfer& transfer) { step_.transfers.push_back(transfer); }
  /// Records that the device had the step's input at `end`, as a span after the host's own input span.
  void input_until(std::int64_t end) {
    end = std::min(end, step_.end);
    if (end > time()) span(program::Activity::input, program::none, time(), end);
  }
  /// Returns the end of what is recorded so far.
  std::int64_t time() const { return step_.spans.empty() ? step_.begin : step_.spans.back().end; }
  /// Ends the step at `time`, but not before the end of its last span.
  void end(std::int64_t time) { step_.end = std::max(time, this->time()); }

  const program::StepTimeline& step() const { return step_; }

 private:
  program::StepTimeline step_;
  std::vector<program::Span> inputs_;
};

}  // namespace ddlbench::runtime
