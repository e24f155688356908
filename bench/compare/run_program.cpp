#include "bench/compare/run_program.h"

#include <poll.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "bench/compare/running_program.h"

namespace ddlbench::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// Programs of which one runs while the others are suspended.
class AlternatingPrograms {
 public:
  AlternatingPrograms(const std::vector<ProgramStart>& starts, std::chrono::milliseconds time_slice)
      : time_slice_(time_slice) {
    for (const ProgramStart& start : starts) {
      programs_.push_back(std::make_unique<RunningProgram>(start));
      if (starts.size() > 1) programs_.back()->suspend();  // before the next one starts
    }
    programs_.front()->resume();
    slice_end_ = Clock::now() + time_slice_;
  }

  /// Notes which programs have ended, and passes the turn on when the time slice is over. Returns whether any still
  /// runs.
  bool update() {
    for (const auto& program : programs_) program->update();
    if (std::all_of(programs_.begin(), programs_.end(), [](const auto& one) { return one->has_ended(); })) return false;
    if (!stopping_ && (programs_[current_]->has_ended() || Clock::now() >= slice_end_)) pass_on();
    return true;
  }
  /// Asks all to end, from now on at the same time.
  void stop(int signal) {
    stopping_ = true;
    for (const auto& program : programs_) program->stop(signal);
  }
  /// Waits for output, for a signal if `signals` are given, for the end of the time slice, or for a moment.
  void wait(const StopSignals* signals) const {
    std::vector<pollfd> sources;
    if (signals != nullptr) sources.push_back({signals->descriptor(), POLLIN, 0});
    for (const auto& program : programs_) program->add_sources(sources);
    constexpr std::chrono::milliseconds zero{0}, moment{50};
    const auto rest = std::chrono::ceil<std::chrono::milliseconds>(slice_end_ - Clock::now());
    const auto time = stopping_ ? moment : std::clamp(rest, zero, moment);
    ::poll(sources.data(), sources.size(), static_cast<int>(time.count()));
  }
  std::vector<ProgramEnd> ends(bool stopped) const {
    std::vector<ProgramEnd> ends;
    for (const auto& program : programs_) ends.push_back(program->end(stopped));
    return ends;
  }

 private:
  void pass_on() {
    const std::size_t before = current_;
    do current_ = (current_ + 1) % programs_.size();
    while (programs_[current_]->has_ended());
    if (current_ != before) {
      programs_[before]->suspend();
      programs_[current_]->resume();
    }
    slice_end_ = Clock::now() + time_slice_;
  }

  std::vector<std::unique_ptr<RunningProgram>> programs_;
  std::size_t current_ = 0;
  std::chrono::milliseconds time_slice_;
  Clock::time_point slice_end_;
  bool stopping_ = false;
};

}  // namespace

ProgramEnd run_program(const ProgramStart& start, const StopSignals& signals) {
  return run_alternately({start}, std::chrono::hours(1), signals).front();
}

std::vector<ProgramEnd> run_successively(const std::vector<ProgramStart>& starts, const StopSignals& signals) {
  std::vector<ProgramEnd> ends;
  for (const ProgramStart& start : starts) {
    ends.push_back(run_program(start, signals));
    if (ends.back().stopped) break;
  }
  return ends;
}

std::vector<ProgramEnd> run_alternately(const std::vector<ProgramStart>& starts, std::chrono::milliseconds time_slice,
                                        const StopSignals& signals) {
  constexpr std::chrono::seconds time_to_end{5};
  AlternatingPrograms programs(starts, time_slice);
  std::optional<Clock::time_point> deadline;  // after a stop signal
  while (programs.update()) {
    if (!deadline && signals.received() != 0) {
      deadline = Clock::now() + time_to_end;
      programs.stop(signals.received());
    }
    if (deadline && (signals.repeated() || Clock::now() > *deadline)) return programs.ends(true);
    programs.wait(deadline ? nullptr : &signals);
  }
  return programs.ends(signals.received() != 0);
}

}  // namespace ddlbench::bench
