#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "bench/records/record.h"

namespace ddlbench::bench {

/// What a stream is connected to.
struct Terminal {
  int descriptor = -1;  ///< −1: not a terminal
  bool colour = false;
  int columns() const;  ///< current width: a window can be resized
};

/// Respects NO_COLOR and TERM=dumb.
Terminal detect_terminal(int descriptor);

/// Shows the progress of a run, and the current phase of a case with its duration. On a terminal, redraws one line.
/// Elsewhere, prints a line per finished case and, for a case that takes long, a line when it reaches a new phase, at
/// most every 10 seconds, or one per minute within a phase.
class ProgressDisplay {
 public:
  virtual ~ProgressDisplay() = default;
  /// `is_first`: whether this is its first attempt.
  virtual void begin_case(const std::string& case_id, bool is_first = true) = 0;
  virtual void phase(const std::string& phase, double fraction) = 0;
  virtual void tick() = 0;  ///< updates the display; to be called every few seconds while a case runs
  /// `seconds`: of this case; `seconds_left`: of the rest of the run, if that can be told.
  virtual void end_case(const CaseRecord& record, double seconds, std::optional<double> seconds_left = {}) = 0;
  /// Shows what takes its turn in a round, between cases: a case, or several.
  virtual void turn(int round, const std::string& what) = 0;
  virtual void end() = 0;
};

using ProgressClock = std::function<std::chrono::steady_clock::time_point()>;

std::unique_ptr<ProgressDisplay> make_progress_display(std::ostream& stream, const Terminal& terminal, bool quiet,
                                                       int cases, ProgressClock now = std::chrono::steady_clock::now);

/// Returns "[#####-----]  3/8  37 %  42 s left  003-ddp-r2: train", cut to `columns` characters. A negative
/// `remaining_seconds` means unknown.
std::string bar_line(int done, int cases, double fraction, double remaining_seconds, const std::string& what,
                     int columns);

}  // namespace ddlbench::bench
