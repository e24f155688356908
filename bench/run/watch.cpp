#include "bench/run/watch.h"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <deque>
#include <sstream>

#include "bench/run/line_reader.h"
#include "bench/run/oom_kills.h"
#include "bench/run/process_tree.h"
#include "graph/error.h"

namespace ddlbench::bench {

namespace {

using Clock = std::chrono::steady_clock;

std::string seconds_text(std::chrono::milliseconds time) {
  std::ostringstream text;
  text << static_cast<double>(time.count()) / 1000 << " s";
  return text.str();
}

class Watch {
 public:
  Watch(Child& child, const WatchOptions& options, const StopSignals& signals, std::ostream& log,
        const std::function<void(const Message&)>& heard, const std::function<void()>& tick)
      : child_(child),
        options_(options),
        signals_(signals),
        log_(log),
        heard_(heard),
        tick_(tick),
        message_lines_(child.messages()),
        log_lines_(child.log()),
        deadline_(Clock::now() + options.timeout) {}

  Outcome run() {
    for (;;) {
      const auto ended = child_.poll();
      read();  // after poll: what it said before its end is in the pipes
      if (ended) return outcome(*ended);
      tick_();
      check_stop();
      check_time();
      sleep();
    }
  }

 private:
  void read() {
    message_lines_.read([this](const std::string& line) { take(line); });
    log_lines_.read([this](const std::string& line) {
      log_ << line << '\n';
      last_lines_.push_back(line);
      if (last_lines_.size() > 3) last_lines_.pop_front();
    });
    log_.flush();
  }

  void take(const std::string& line) {
    if (verdict_) return;  // it is being ended for a reason that stands
    deadline_ = Clock::now() + options_.timeout;
    try {
      Message message = decode(line);
      if (const auto* alive = std::get_if<Alive>(&message)) phase_ = alive->phase;
      if (auto* measurement = std::get_if<Measurement>(&message)) {
        said_ = Outcome{Status::ok, "", std::move(*measurement)};
      } else if (const auto* failure = std::get_if<Failure>(&message)) {
        said_ = Outcome{failure->status, failure->reason, {}};
      } else {
        heard_(message);
      }
    } catch (const ContractError& error) {
      end_it({Status::failed, std::string(error.what()) + " in phase " + phase_, {}});
    }
  }

  void check_stop() {
    if (const int signal = signals_.received(); signal != 0 && !verdict_) {
      end_it({Status::interrupted, "stopped by signal " + signal_text(signal) + " in phase " + phase_, {}});
    }
    if (signals_.count() > 1) kill_at_ = std::min(kill_at_, Clock::now());
  }

  void check_time() {
    if (!verdict_ && Clock::now() >= deadline_) end_it(silent());
    if (verdict_ && Clock::now() >= kill_at_) {
      child_.signal_group(SIGKILL);
      kill_at_ = Clock::time_point::max();
    }
  }

  Outcome silent() const {
    const std::string silence = "no sign of progress for " + seconds_text(options_.timeout) + " in phase " + phase_;
    for (const Process& process : process_tree(child_.id())) {
      if (!process.stopped()) continue;
      return {
          Status::lost_rank,
          silence + ": process " + std::to_string(process.id) + " was stopped (by SIGSTOP, a terminal or a debugger)",
          {}};
    }
    return {Status::timed_out, silence + "; if it is only slow, raise measure/timeout_seconds", {}};
  }

  void end_it(Outcome verdict) {
    verdict_ = std::move(verdict);
    kill_at_ = Clock::now() + options_.grace;
    child_.signal_group(SIGTERM);
  }

  /// Until something is there to read, or time to look at the process again.
  void sleep() {
    std::array<pollfd, 3> sources{{{message_lines_.closed() ? -1 : child_.messages(), POLLIN, 0},
                                   {log_lines_.closed() ? -1 : child_.log(), POLLIN, 0},
                                   {verdict_ ? -1 : signals_.descriptor(), POLLIN, 0}}};
    const auto next = std::min(verdict_ ? kill_at_ : deadline_, Clock::now() + std::chrono::milliseconds(50));
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
    ::poll(sources.data(), sources.size(), static_cast<int>(std::max<std::int64_t>(wait, 0)));
  }

  Outcome outcome(int wait_status) const {
    if (verdict_) return *verdict_;
    if (WIFSIGNALED(wait_status)) return killed_by(WTERMSIG(wait_status));
    const int code = WEXITSTATUS(wait_status);
    if (said_ && (said_->status != Status::ok || code == 0)) return *said_;
    return {Status::crashed,
            "its process ended with code " + std::to_string(code) + (said_ ? " after" : " without") +
                " its result, in phase " + phase_ + tail(),
            {}};
  }

  Outcome killed_by(int signal) const {
    const std::string what = "killed by signal " + signal_text(signal) + " in phase " + phase_;
    if (signal == SIGKILL && oom_kills() > oom_kills_before_) {
      return {Status::out_of_memory,
              what +
                  ", while the kernel killed for want of memory; use fewer ranks on a machine, a smaller "
                  "global_batch or model, or a higher limit of the control group",
              {}};
    }
    return {Status::crashed, what + tail(), {}};
  }

  std::string tail() const {
    std::string text;
    for (const std::string& line : last_lines_) text += (text.empty() ? ": " : " | ") + line;
    return text;
  }

  Child& child_;
  const WatchOptions& options_;
  const StopSignals& signals_;
  std::ostream& log_;
  const std::function<void(const Message&)>& heard_;
  const std::function<void()>& tick_;
  LineReader message_lines_;
  LineReader log_lines_;
  std::optional<std::int64_t> oom_kills_before_ = oom_kills();
  std::string phase_ = "start";
  std::deque<std::string> last_lines_;
  std::optional<Outcome> said_;     ///< by the case's process itself
  std::optional<Outcome> verdict_;  ///< why the process is being ended
  Clock::time_point deadline_;
  Clock::time_point kill_at_ = Clock::time_point::max();
};

}  // namespace

Outcome watch(Child& child, const WatchOptions& options, const StopSignals& signals, std::ostream& log,
              const std::function<void(const Message&)>& heard, const std::function<void()>& tick) {
  return Watch(child, options, signals, log, heard, tick).run();
}

}  // namespace ddlbench::bench
