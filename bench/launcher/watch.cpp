#include "bench/launcher/watch.h"

#include <poll.h>
#include <sys/wait.h>

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <deque>
#include <fstream>
#include <map>
#include <utility>

#include "base/error.h"
#include "bench/launcher/case_log.h"
#include "bench/launcher/job_processes.h"
#include "bench/launcher/line_reader.h"
#include "platform/oom_kills.h"

namespace ddlbench::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds time_to_end{1};
/// How often the pipes are read after a case's end. Each turn reads more than a pipe holds.
constexpr int most_last_turns = 4;
/// The most characters of a log line that a reason quotes.
constexpr std::size_t most_quoted = 400;

/// How much a failure report says about the cause: a rank that lost contact with another one knows less than a report
/// about that rank itself.
enum class Severity {
  noticed,  ///< other ranks report that a rank is missing
  aborted,  ///< MPI's library reports the same by aborting ranks
  failed,   ///< a rank reports its own failure
  crashed,  ///< a rank's guard reports a crash
  killed,   ///< killed from outside, or stopped
};

std::string seconds_text(std::chrono::milliseconds time) {
  return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000);
}

}  // namespace

class Watch final : public Suspendable {
 public:
  Watch(Child& child, const WatchOptions& options, const StopSignals& signals, std::ostream& log,
        const Listener& listener, const std::function<void()>& tick)
      : child_(child),
        options_(options),
        signals_(signals),
        log_(log),
        processes_(child),
        listener_(listener),
        tick_(tick),
        output_lines_(child.output()),
        log_lines_(child.log()),
        deadline_(Clock::now() + options.timeout) {}

  /// Reads what the case has printed, and ends it if that is due.
  void update() {
    if (outcome_) return;
    const auto ended = child_.poll();
    const int signal = signals_.received();
    processes_.look();
    bool more = read();  // read after both: what the process wrote before its end, or before the signal, is in the
                         // pipes
    for (int turn = 1; ended && more && turn < most_last_turns; ++turn) more = read();
    if (ended) {
      outcome_ = unless_stopped(outcome_of(*ended));
      return;
    }
    tick_();
    check_stop(signal);
    check_time();
    check_stopped();
  }
  const std::optional<Outcome>& outcome() const { return outcome_; }
  bool has_ended() const override { return outcome_.has_value(); }
  /// Returns whether it times steps, or warms up to do so.
  bool times_steps() const { return phase_ == "warm up" || phase_ == "measure"; }
  /// Returns for how long it may be suspended, so that its ranks do not miss each other.
  std::chrono::milliseconds longest_wait() const { return options_.timeout / 4; }

  void suspend() override {
    child_.suspend();
    suspended_at_ = Clock::now();
  }
  void resume() override {
    child_.resume();
    if (!suspended_at_) return;
    const auto pause = Clock::now() - *std::exchange(suspended_at_, std::nullopt);
    for (Clock::time_point* time : {&begun_, &deadline_, &stopped_since_, &next_look_at_stopped_}) *time += pause;
    if (kill_at_ != Clock::time_point::max()) kill_at_ += pause;
  }

  /// Waits until there is something to read, until the next check is due, or until `limit`.
  void sleep(Clock::time_point limit = Clock::time_point::max()) {
    std::array<pollfd, 3> sources{{{output_lines_.closed() ? -1 : child_.output(), POLLIN, 0},
                                   {log_lines_.closed() ? -1 : child_.log(), POLLIN, 0},
                                   {verdict_ || asked_ ? -1 : signals_.descriptor(), POLLIN, 0}}};
    const auto next = std::min({limit, verdict_ ? kill_at_ : deadline_, Clock::now() + std::chrono::milliseconds(50)});
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
    ::poll(sources.data(), sources.size(), static_cast<int>(std::max<std::int64_t>(wait, 0)));
  }

 private:
  /// Reads what is available, up to one turn's limit; returns whether there was anything.
  bool read() {
    const std::size_t taken = log_lines_.read([this](const std::string& line) {
      note(line);
    }) + output_lines_.read([this](const std::string& line) { Unframer::is_framed(line) ? take(line) : note(line); });
    log_.flush();
    return taken > 0;
  }

  void note(const std::string& line) {
    log_.add(line);
    last_lines_.push_back(line.substr(0, most_quoted));
    if (last_lines_.size() > 3) last_lines_.pop_front();
  }

  void take(const std::string& line) {
    if (verdict_) return;  // it is already being ended for a reason that is final
    try {
      auto heard = unframer_.take(line);
      if (!heard) return;
      if (!has_failed()) deadline_ = Clock::now() + options_.timeout;
      take(heard->rank, std::move(heard->message));
    } catch (const ContractError& error) {
      end_it({Status::failed, fmt::format("{} in phase {}", error.what(), phase_), {}});
    }
  }

  void take(int rank, Message message) {
    if (const auto* alive = std::get_if<Alive>(&message)) phase_ = alive->phase;
    if (const auto* started = std::get_if<Started>(&message)) {
      processes_.add_rank(rank, started->process, started->host);
      log_.add(fmt::format("rank {}: process {} on {}", rank, started->process, started->host));
      hosts_[rank] = started->host;
      if (listener_.placed) listener_.placed(rank, started->host);
    } else if (const auto* killed = std::get_if<Killed>(&message)) {
      const std::string who = fmt::format("rank {} (process {} on {}) was ", rank, killed->process, killed->host);
      Outcome outcome = killed_by(who, killed->signal, Status::lost_rank);
      outcome.lost_host = killed->host;
      record_failure(std::move(outcome), severity_of(killed->signal));
    } else if (auto* measurement = std::get_if<Measurement>(&message)) {
      if (!reported_) reported_ = Outcome{Status::ok, "", std::move(*measurement)};
    } else if (const auto* failure = std::get_if<Failure>(&message)) {
      const bool silence = failure->status == Status::timed_out || failure->status == Status::lost_rank;
      const std::string stopped = silence ? who_is_stopped() : "";
      if (!stopped.empty()) {
        record_failure({Status::lost_rank, fmt::format("{}: {}", stopped, failure->reason), {}}, Severity::killed);
      } else {
        Outcome outcome{failure->status, failure->reason, {}};
        if (failure->rank) outcome.lost_host = host_of(*failure->rank);
        record_failure(std::move(outcome), silence ? Severity::noticed : Severity::failed);
      }
    } else {
      listener_.heard(message);
    }
  }

  std::string host_of(int rank) const {
    const auto host = hosts_.find(rank);
    return host == hosts_.end() ? "" : host->second;
  }

  static Severity severity_of(int signal) {
    if (signal == SIGKILL) return Severity::killed;
    return signal == SIGABRT ? Severity::aborted : Severity::crashed;
  }

  /// Records a failure. The first failure of the greatest weight is the cause; the others follow from it. Reports may
  /// arrive for a moment after the first, during which failed ranks end by themselves.
  void record_failure(Outcome outcome, Severity severity) {
    if (has_failed() && severity <= severity_) return;
    if (!has_failed()) deadline_ = std::min(deadline_, Clock::now() + time_to_end);
    reported_ = std::move(outcome);
    severity_ = severity;
  }

  bool has_failed() const { return reported_ && reported_->status != Status::ok; }

  void check_stop(int signal) {
    if (signal != 0 && !verdict_ && !is_saving(signal)) end_it(stopped_by(signal));
    if (signals_.repeated()) kill_at_ = std::min(kill_at_, Clock::now());
  }

  Outcome stopped_by(int signal) const {
    const std::string what = signal == SIGALRM ? "the time limit" : "signal " + signal_text(signal);
    return {Status::interrupted, fmt::format("stopped by {} in phase {}", what, phase_), {}};
  }

  /// Asks a training to save a checkpoint and to end. Returns whether it is given time for that.
  bool is_saving(int signal) {
    const bool trains = phase_.starts_with("train ") || phase_ == "validate" || phase_ == "save";
    if (options_.stop_file.empty() || signals_.repeated() || !(trains || asked_)) return false;
    if (!asked_) {
      asked_ = signal;
      save_until_ = Clock::now() + options_.time_to_save;
      if (!std::ofstream(options_.stop_file)) return false;
    }
    return Clock::now() < save_until_;
  }

  void check_time() {
    if (!verdict_ && Clock::now() >= deadline_) end_it(has_failed() ? *reported_ : silent());
    if (!verdict_ && options_.limit && Clock::now() >= begun_ + *options_.limit) end_it(too_long());
    if (verdict_ && Clock::now() >= kill_at_) {
      child_.signal(SIGKILL);
      kill_at_ = Clock::time_point::max();
    }
  }

  Outcome silent() const {
    const std::string silence =
        fmt::format("no sign of progress for {} in phase {}", seconds_text(options_.timeout), phase_);
    const std::string stopped = who_is_stopped();
    if (!stopped.empty()) return {Status::lost_rank, fmt::format("{}: {}", silence, stopped), {}};
    return {Status::timed_out, silence + "; if it is only slow, raise measure/timeout_seconds", {}};
  }

  Outcome too_long() const {
    return {Status::timed_out,
            fmt::format("took longer than measure/case_seconds ({}), and was in phase {}",
                        seconds_text(*options_.limit), phase_),
            {}};
  }

  /// Describes a stopped process of this machine; empty if there is none.
  std::string who_is_stopped() const {
    const auto process = processes_.stopped();
    return process ? processes_.describe(*process) + " was stopped (by SIGSTOP, a terminal or a debugger)" : "";
  }

  /// Ends the case if a process stays stopped for the timeout. A stopped guard would otherwise be noticed only at the
  /// end, because its rank continues without it.
  void check_stopped() {
    if (verdict_ || Clock::now() < next_look_at_stopped_) return;
    next_look_at_stopped_ = Clock::now() + options_.timeout / 4;
    const auto process = processes_.stopped();
    if (!process || process != stopped_) {
      stopped_ = process;
      stopped_since_ = Clock::now();
    } else if (Clock::now() >= stopped_since_ + options_.timeout) {
      end_it({Status::lost_rank,
              fmt::format("{} {} ago in phase {}", who_is_stopped(), seconds_text(options_.timeout), phase_),
              {}});
    }
  }

  /// Returns the outcome of a case that ended by itself, or that it was interrupted. A batch system that ends a job
  /// signals all its processes at the same time, so the ranks of a case may end before this process gets its signal.
  Outcome unless_stopped(Outcome outcome) const {
    const bool killed = outcome.status == Status::crashed || outcome.status == Status::lost_rank;
    if (!verdict_ && asked_ && outcome.status == Status::interrupted) {
      const Outcome stopped = stopped_by(*asked_);
      return {Status::interrupted, stopped.reason + ": " + outcome.reason, {}};
    }
    if (verdict_ || !killed) return outcome;
    constexpr int milliseconds = 500;
    pollfd stop{signals_.descriptor(), POLLIN, 0};
    if (signals_.received() == 0) ::poll(&stop, 1, milliseconds);
    if (signals_.received() == 0) return outcome;
    return stopped_by(signals_.received());
  }

  void end_it(Outcome verdict) {
    verdict_ = std::move(verdict);
    kill_at_ = Clock::now() + options_.grace;
    child_.signal(SIGTERM);
  }

  Outcome outcome_of(int wait_status) const {
    if (verdict_) return *verdict_;
    if (has_failed() && severity_ > Severity::aborted) return *reported_;
    const bool ended_well = WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0;
    if (reported_ && !has_failed() && ended_well) return *reported_;
    const std::optional<pid_t> lost = processes_.first_ended();
    if (lost && !WIFSIGNALED(wait_status) && !processes_.is_rank(*lost)) {
      return {Status::lost_rank,
              fmt::format("{} was lost in phase {}, and the job ended with code {}{}", processes_.describe(*lost),
                          phase_, WEXITSTATUS(wait_status), tail()),
              {}};
    }
    if (has_failed()) return *reported_;
    if (WIFSIGNALED(wait_status)) {
      const std::string who = processes_.has_others() ? processes_.describe(child_.id()) + " was " : "";
      return killed_by(who, WTERMSIG(wait_status), Status::crashed);
    }
    return {Status::crashed,
            fmt::format(
                "{} ended with code {}{} its result, in phase {}{}",
                lost ? processes_.describe(*lost) + " was the first to end, and the job" : std::string("its process"),
                WEXITSTATUS(wait_status), reported_ ? " after" : " without", phase_, tail()),
            {}};
  }

  /// Returns the outcome of a kill. `by_kill` is the status after SIGKILL, which programs do not send themselves.
  Outcome killed_by(const std::string& who, int signal, Status by_kill) const {
    const std::string what = fmt::format("{}killed by signal {} in phase {}", who, signal_text(signal), phase_);
    if (signal == SIGKILL && platform::oom_kills() > oom_kills_before_) {
      return {Status::out_of_memory,
              what +
                  ", while the kernel killed processes for lack of memory; use fewer ranks on a machine, a smaller "
                  "global_batch or model, or a higher limit of the control group",
              {}};
    }
    return {signal == SIGKILL ? by_kill : Status::crashed, what + tail(), {}};
  }

  std::string tail() const {
    std::string text;
    for (const std::string& line : last_lines_) text += (text.empty() ? ": " : " | ") + line;
    return text;
  }

  Child& child_;
  const WatchOptions options_;
  const StopSignals& signals_;
  CaseLog log_;
  JobProcesses processes_;
  std::map<int, std::string> hosts_;  ///< by rank
  const Listener& listener_;
  const std::function<void()> tick_;
  LineReader output_lines_;
  LineReader log_lines_;
  std::optional<std::int64_t> oom_kills_before_ = platform::oom_kills();
  Unframer unframer_;
  std::string phase_ = "start";
  std::deque<std::string> last_lines_;
  std::optional<Outcome> reported_;  ///< reported by the case's processes
  Severity severity_{};              ///< of that report, if it is a failure
  std::optional<Outcome> verdict_;   ///< why the process is being ended
  std::optional<int> asked_;         ///< the signal for which the training was asked to save
  Clock::time_point save_until_;
  std::optional<pid_t> stopped_;  ///< at the last check
  Clock::time_point stopped_since_;
  Clock::time_point next_look_at_stopped_;
  std::optional<Clock::time_point> suspended_at_;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point deadline_;
  Clock::time_point kill_at_ = Clock::time_point::max();
  std::optional<Outcome> outcome_;
};

Outcome watch(Child& child, const WatchOptions& options, const StopSignals& signals, std::ostream& log,
              const Listener& listener, const std::function<void()>& tick) {
  Watch one(child, options, signals, log, listener, tick);
  for (one.update(); !one.has_ended(); one.update()) one.sleep();
  return *one.outcome();
}

AlternatingWatches::AlternatingWatches(std::chrono::milliseconds time_slice, const StopSignals& signals,
                                       std::function<void()> tick)
    : slices_(time_slice), signals_(signals), tick_(std::move(tick)) {}

AlternatingWatches::~AlternatingWatches() = default;

void AlternatingWatches::add(Child& child, const WatchOptions& options, std::ostream& log, const Listener& listener) {
  watches_.push_back(std::make_unique<Watch>(child, options, signals_, log, listener, tick_));
  slices_.add(*watches_.back());
}

std::vector<Outcome> AlternatingWatches::run() {
  std::vector<bool> has_waited(watches_.size());
  std::optional<Clock::time_point> waits_since;
  const auto first_running = [this] {
    return std::find_if(watches_.begin(), watches_.end(), [](const auto& one) { return !one->has_ended(); });
  };
  if (!watches_.empty()) slices_.begin();
  while (first_running() != watches_.end() && signals_.received() == 0) {
    const std::size_t i = slices_.current();
    watches_[i]->update();
    if (watches_[i]->times_steps() && !has_waited[i]) {
      has_waited[i] = true;
      if (!waits_since) waits_since = Clock::now();
      slices_.wait_for_others();
    }
    if (waits_since && Clock::now() > *waits_since + watches_[i]->longest_wait()) slices_.end_waits();
    slices_.update();
    if (Watch& next = *watches_[slices_.current()]; !next.has_ended()) next.sleep(slices_.slice_end());
  }
  slices_.end();
  for (auto running = first_running(); running != watches_.end(); running = first_running()) {
    for (const auto& one : watches_) one->update();
    if (!(*running)->has_ended()) (*running)->sleep();
  }
  std::vector<Outcome> outcomes;
  for (const auto& one : watches_) outcomes.push_back(*one->outcome());
  return outcomes;
}

}  // namespace ddlbench::bench
