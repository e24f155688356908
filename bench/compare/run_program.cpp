#include "bench/compare/run_program.h"

#include <poll.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "bench/compare/running_program.h"

namespace ddlbench::bench {
namespace {

/// Programs that run in turns.
class AlternatingPrograms {
 public:
  AlternatingPrograms(const std::vector<ProgramStart>& starts, std::chrono::milliseconds time_slice)
      : slices_(time_slice) {
    for (const ProgramStart& start : starts) {
      programs_.push_back(std::make_unique<RunningProgram>(start));
      if (starts.size() > 1) slices_.add(*programs_.back());
    }
    slices_.begin();
  }

  /// Notes which programs have ended, and passes the turn on when the time slice is over. Returns whether any still
  /// runs.
  bool update() {
    for (const auto& program : programs_) program->update();
    if (std::all_of(programs_.begin(), programs_.end(), [](const auto& one) { return one->has_ended(); })) return false;
    slices_.update();
    return true;
  }
  /// Asks all to end, from now on at the same time.
  void stop(int signal) {
    stopping_ = true;
    for (const auto& program : programs_) program->send(signal);
    slices_.end();
  }
  /// Waits for output, for a signal if `signals` are given, for the end of the time slice, or for a moment.
  void wait(const StopSignals* signals) const {
    std::vector<pollfd> sources;
    if (signals != nullptr) sources.push_back({signals->descriptor(), POLLIN, 0});
    for (const auto& program : programs_) program->add_sources(sources);
    constexpr std::chrono::milliseconds zero{0}, moment{50};
    const auto now = TimeSlices::Clock::now(), end = std::min(slices_.slice_end(), now + moment);
    const auto time = stopping_ ? moment : std::max(zero, std::chrono::ceil<std::chrono::milliseconds>(end - now));
    ::poll(sources.data(), sources.size(), static_cast<int>(time.count()));
  }
  std::vector<ProgramEnd> ends(bool stopped) const {
    std::vector<ProgramEnd> ends;
    for (const auto& program : programs_) ends.push_back(program->end(stopped));
    return ends;
  }

 private:
  std::vector<std::unique_ptr<RunningProgram>> programs_;
  TimeSlices slices_;
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
  std::optional<TimeSlices::Clock::time_point> deadline;  // after a stop signal
  while (programs.update()) {
    if (!deadline && signals.received() != 0) {
      deadline = TimeSlices::Clock::now() + time_to_end;
      programs.stop(signals.received());
    }
    if (deadline && (signals.repeated() || TimeSlices::Clock::now() > *deadline)) return programs.ends(true);
    programs.wait(deadline ? nullptr : &signals);
  }
  return programs.ends(signals.received() != 0);
}

}  // namespace ddlbench::bench
