#include "bench/launcher/progress_display.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/core.h>
#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "base/printable.h"
#include "base/units.h"
#include "bench/report/printable_stream.h"

namespace ddlbench::bench {

int Terminal::columns() const {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

Terminal detect_terminal(int descriptor) {
  const auto variable = [](const char* name) { return std::string(std::getenv(name) ? std::getenv(name) : ""); };
  const bool terminal = ::isatty(descriptor) == 1 && variable("TERM") != "dumb";
  return {terminal ? descriptor : -1, terminal && variable("NO_COLOR").empty()};
}

std::string bar_line(int done, int cases, double fraction, double remaining_seconds, const std::string& what,
                     int columns) {
  constexpr int bar_width = 20;
  const double bounded = std::clamp(fraction, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(bounded * bar_width);
  std::string line = fmt::format("[{}{}]  {}/{}  {} %", std::string(filled, '#'), std::string(bar_width - filled, '-'),
                                 done, cases, static_cast<int>(bounded * 100));
  if (remaining_seconds >= 0) line += "  " + format_duration(remaining_seconds) + " left";
  line += "  " + printable(what);
  return line.substr(0, static_cast<std::size_t>(std::max(columns, 0)));
}

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return Seconds(end - begin).count();
}

/// A case's current phase and when it began.
struct CurrentPhase {
  std::string name;
  Clock::time_point begun;

  /// Returns whether this is a new phase.
  bool enter(const std::string& phase, Clock::time_point now) {
    if (phase == name) return false;
    name = phase;
    begun = now;
    return true;
  }
  /// Returns "train epoch 2 (for 42 s)".
  std::string text(Clock::time_point now) const {
    const double seconds = seconds_between(begun, now);
    return printable(name) + (seconds < 1 ? "" : " (for " + format_duration(seconds) + ")");
  }
};

std::string finished_line(const CaseRecord& record, double seconds) {
  std::string line = fmt::format("{}: {}", record.case_id, name(record.status));
  if (record.status != Status::unsupported && record.status != Status::skipped) line += ", " + format_seconds(seconds);
  if (certificate_failed(record)) {
    const Measurement& measured = *record.measurement;
    line += fmt::format("{}{})", certificate_proves_nothing(measured) ? ", certificate (" : ", certificate failed (",
                        measured.certificate_reason);
  } else if (!record.status_reason.empty()) {
    line += " (" + record.status_reason + ")";
  }
  return printable(line);
}

class Quiet : public ProgressDisplay {
 public:
  void begin_case(const std::string&, bool) override {}
  void phase(const std::string&, double) override {}
  void tick() override {}
  void end_case(const CaseRecord&, double, std::optional<double>) override {}
  void turn(int, const std::string&) override {}
  void end() override {}
};

class PlainLines : public ProgressDisplay {
 public:
  PlainLines(std::ostream& stream, int cases, ProgressClock now)
      : stream_(stream), cases_(cases), now_(std::move(now)) {}

  void begin_case(const std::string& case_id, bool is_first) override {
    if (is_first) ++begun_;
    case_id_ = case_id;
    case_begun_ = printed_at_ = now_();
    phase_ = {"start", case_begun_};
    printed_phase_.clear();
  }

  void phase(const std::string& phase, double) override {
    phase_.enter(phase, now_());
    tick();
  }

  void tick() override {
    constexpr double pause = 10, pause_within_a_phase = 60;
    const Clock::time_point now = now_();
    if (seconds_between(printed_at_, now) < (phase_.name == printed_phase_ ? pause_within_a_phase : pause)) return;
    stream_ << place() << case_id_ << ": " << phase_.text(now) << ", "
            << format_duration(seconds_between(case_begun_, now)) << " elapsed" << std::endl;
    printed_phase_ = phase_.name;
    printed_at_ = now;
  }

  void end_case(const CaseRecord& record, double seconds, std::optional<double> seconds_left) override {
    constexpr double shortest = 10;
    const bool show = seconds_left && *seconds_left >= shortest;
    stream_ << place() << finished_line(record, seconds)
            << (show ? "; about " + format_duration(*seconds_left) + " left" : "") << std::endl;
    round_ = 0;
  }

  void turn(int round, const std::string& case_id) override {
    if (round != round_) stream_ << place() << "round " << round << std::endl;
    if (round != round_) printed_at_ = now_();
    round_ = round;
    case_id_ = case_id;
    phase_ = {fmt::format("round {}", round), now_()};
    printed_phase_ = phase_.name;
  }
  void end() override {}

 private:
  std::string place() const { return fmt::format("[{}/{}] ", begun_, cases_); }

  std::ostream& stream_;
  int cases_;
  ProgressClock now_;
  int begun_ = 0;
  int round_ = 0;  ///< the one of the last line
  std::string case_id_;
  CurrentPhase phase_;
  Clock::time_point case_begun_;
  std::string printed_phase_;  ///< the phase of the last line
  Clock::time_point printed_at_;
};

class Bar : public ProgressDisplay {
 public:
  Bar(std::ostream& stream, const Terminal& terminal, int cases, ProgressClock now)
      : stream_(stream), terminal_(terminal), cases_(cases), now_(std::move(now)), begun_(now_()) {}

  void begin_case(const std::string& case_id, bool is_first) override {
    case_id_ = case_id;
    if (!is_first) --done_;
    running_ = true;
    turn_.clear();
    fraction_ = 0;
    phase_ = {"start", now_()};
    draw();
  }

  void phase(const std::string& phase, double fraction) override {
    fraction_ = fraction;
    if (phase_.enter(phase, now_()) || seconds_between(drawn_, now_()) > 0.1) draw();
  }

  void tick() override {
    if (seconds_between(drawn_, now_()) > 0.5) draw();
  }

  void end_case(const CaseRecord& record, double seconds, std::optional<double> seconds_left) override {
    if (running_) ++done_;
    running_ = false;
    fraction_ = 0;
    if (seconds_left) expected_end_ = now_() + std::chrono::duration_cast<Clock::duration>(Seconds(*seconds_left));
    if (record.status != Status::ok || certificate_failed(record) || !record.status_reason.empty()) {
      const std::string line = finished_line(record, seconds);
      const bool red = terminal_.colour && is_failure(record);
      stream_ << Control{clear + (red ? "\x1b[31m" + line + "\x1b[0m" : line)} << std::endl;
    }
    draw();
  }

  void turn(int round, const std::string& case_id) override {
    turn_ = fmt::format("round {}: {}", round, case_id);
    draw();
  }

  void end() override { stream_ << Control{clear} << std::flush; }

 private:
  static inline const std::string clear = "\r\x1b[K";

  void draw() {
    const double fraction = cases_ > 0 ? (done_ + std::clamp(fraction_, 0.0, 1.0)) / cases_ : 1;
    const Clock::time_point now = now_();
    const std::string what = running_ ? fmt::format("{}: {}", case_id_, phase_.text(now)) : turn_;
    std::string line = bar_line(done_, cases_, fraction, seconds_left(fraction, now), what, terminal_.columns() - 1);
    if (terminal_.colour && line.starts_with("[#")) {
      line.insert(std::min(line.find_first_not_of('#', 1), line.size()), "\x1b[0m");  // on a narrow terminal the line
                                                                                      // may end within the bar
      line.insert(1, "\x1b[32m");
    }
    stream_ << Control{clear + line} << std::flush;
    drawn_ = now;
  }

  /// Returns −1 if that is unknown. Until a case has ended, all are expected to take as long as the finished part of
  /// the first.
  double seconds_left(double fraction, Clock::time_point now) const {
    if (expected_end_) return now < *expected_end_ ? seconds_between(now, *expected_end_) : -1;
    return fraction > 0.02 ? seconds_between(begun_, now) * (1 - fraction) / fraction : -1;
  }

  std::ostream& stream_;
  Terminal terminal_;
  int cases_;
  ProgressClock now_;
  int done_ = 0;
  bool running_ = false;
  std::string case_id_;
  std::string turn_;  ///< the round and its current case, between cases
  CurrentPhase phase_;
  double fraction_ = 0;
  Clock::time_point begun_;
  Clock::time_point drawn_;
  std::optional<Clock::time_point> expected_end_;
};

}  // namespace

std::unique_ptr<ProgressDisplay> make_progress_display(std::ostream& stream, const Terminal& terminal, bool quiet,
                                                       int cases, ProgressClock now) {
  if (quiet) return std::make_unique<Quiet>();
  if (terminal.descriptor >= 0) return std::make_unique<Bar>(stream, terminal, cases, std::move(now));
  return std::make_unique<PlainLines>(stream, cases, std::move(now));
}

}  // namespace ddlbench::bench
