#include "bench/launcher/rank_guard.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/core.h>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>

#include "bench/launcher/launch_command.h"
#include "bench/launcher/messages.h"
#include "bench/launcher/ranks_executor.h"
#include "bench/launcher/stop_signals.h"
#include "bench/records/spin_variables.h"
#include "comm/process_place.h"
#include "platform/host_name.h"
#include "platform/process_identity.h"
#include "platform/process_tree.h"
#include "platform/program_id.h"

namespace ddlbench::bench {
namespace {

constexpr const char* guard_variable = "DDLBENCH_GUARD";  ///< the guard's process id and a descriptor, for its child

constexpr std::chrono::milliseconds between_looks{250};
/// MPI's library aborts a rank that misses another one. This delay lets the guard of the missing rank report first.
constexpr std::chrono::milliseconds time_for_the_cause{500};
/// The time for a report to pass through the launcher, which ends everything when this process ends.
constexpr std::chrono::milliseconds time_to_forward{200};
/// Added to the case's timeout: by then, other ranks notice a stopped rank, and rank 0 reports it in more detail. A
/// launcher may stay stopped for as long.
constexpr std::chrono::seconds time_for_others{8};
/// Applies until the first case provides its timeout.
constexpr std::chrono::seconds initial_guard_timeout{52};

/// A message from a rank to its guard, through a pipe. The last one counts.
struct GuardMessage {
  std::int64_t timeout_milliseconds = 0;
  std::int64_t watched = 0;  ///< nonzero: other ranks watch this one and notice if it is stopped
};

/// A guard's child as it was started, and the process that started the guard.
struct Rank {
  pid_t process = -1;
  pid_t launcher = ::getppid();
  sigset_t signals;  ///< SIGCHLD, which is blocked
};

void print_start_error() {
  std::cerr << "a rank's process cannot be started; use fewer ranks, or allow more processes (ulimit -u)\n";
}

/// Starts `words`, an execv array, as a child. Its `process` is negative if it cannot be started.
Rank start(char* const* words) {
  Rank rank;
  sigset_t before;
  ::signal(SIGCHLD, SIG_DFL);  // if SIGCHLD is ignored, waitpid cannot report a child's end
  ::sigemptyset(&rank.signals);
  ::sigaddset(&rank.signals, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &rank.signals, &before);
  const pid_t guard = ::getpid();
  rank.process = ::fork();
  if (rank.process == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != guard) ::_exit(127);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    ::execv("/proc/self/exe", words);
    ::_exit(127);
  }
  return rank;
}

bool is_stopped(pid_t process) {
  const auto found = platform::find_process(process);
  return found && found->stopped();
}

void wake_if_stopped(pid_t process) {
  if (is_stopped(process)) ::kill(process, SIGCONT);
}

/// What a guard watches and how it reports.
struct GuardOptions {
  std::optional<platform::ProcessIdentity> supervisor;
  std::function<void(const Rank&, int signal)> report_killed;
  /// Reports a rank, or the launcher's process, that stays stopped. If empty, stopped processes are tolerated.
  std::function<void(const Rank&, pid_t stopped)> report_stopped;
  int extra_looks = 0;  ///< number of looks after which the guard that reports a stopped launcher has done so
  int told = -1;        ///< the read end of the pipe for the rank's messages
};

class Guard {
 public:
  Guard(const Rank& rank, const GuardOptions& options) : rank_(rank), options_(options) {}

  /// Watches the rank until it ends. Returns the exit code.
  int run() {
    for (;;) {
      int status = 0;
      if (::waitpid(rank_.process, &status, WNOHANG | WUNTRACED | WCONTINUED) == rank_.process) {
        if (WIFEXITED(status) || WIFSIGNALED(status)) return after(status);
        stopped_ = WIFSTOPPED(status);
        continue;
      }
      const bool alone = ::getppid() != rank_.launcher || (options_.supervisor && options_.supervisor->ended());
      if (alone) return end_rank();
      if (options_.report_stopped) look_for_stopped();
      if (const auto process = stopped_for_long()) {
        options_.report_stopped(rank_, *process);
        wake_if_stopped(rank_.launcher);  // the launcher forwards the report, and ends everything when the rank has
                                          // ended
        std::this_thread::sleep_for(time_to_forward);
        return end_rank();
      }
      const timespec look{0, std::chrono::nanoseconds(between_looks).count()};
      ::sigtimedwait(&rank_.signals, nullptr, &look);
    }
  }

 private:
  int after(int status) const {
    wake_if_stopped(rank_.launcher);  // so that it notices that this process ends
    if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
    if (WTERMSIG(status) == SIGABRT) std::this_thread::sleep_for(time_for_the_cause);
    options_.report_killed(rank_, WTERMSIG(status));
    std::this_thread::sleep_for(time_to_forward);
    return 128 + WTERMSIG(status);
  }

  int end_rank() const {
    int status = 0;
    ::kill(rank_.process, SIGKILL);
    ::waitpid(rank_.process, &status, 0);
    wake_if_stopped(::getppid());
    return 128 + SIGKILL;
  }

  /// Counts looks rather than time: a process that was stopped together with all others, this one included, must not be
  /// ended.
  void look_for_stopped() {
    for (GuardMessage told; ::read(options_.told, &told, sizeof told) == sizeof told;) {
      timeout_ = std::chrono::milliseconds(told.timeout_milliseconds);
      watched_ = told.watched != 0;
    }
    looks_at_rank_ = stopped_ ? looks_at_rank_ + 1 : 0;
    looks_at_launcher_ = is_stopped(rank_.launcher) ? looks_at_launcher_ + 1 : 0;
  }

  std::optional<pid_t> stopped_for_long() const {
    const auto most = (timeout_ + time_for_others) / between_looks;
    if (!watched_ && looks_at_rank_ > most) return rank_.process;
    if (looks_at_launcher_ > most + options_.extra_looks) return rank_.launcher;
    return std::nullopt;
  }

  const Rank& rank_;
  const GuardOptions& options_;
  std::chrono::milliseconds timeout_{initial_guard_timeout};
  bool watched_ = false;
  bool stopped_ = false;
  int looks_at_rank_ = 0;
  int looks_at_launcher_ = 0;
};

int guard(char* const* words, const GuardOptions& options) {
  const Rank rank = start(words);
  if (rank.process < 0) {
    print_start_error();
    return 127;
  }
  return Guard(rank, options).run();
}

/// Returns the descriptor for messages to this process's guard; nothing if it has none.
std::optional<int> guarded() {
  const char* text = std::getenv(guard_variable);
  std::istringstream in(text == nullptr ? "" : text);
  pid_t guard = 0;
  int descriptor = 0;
  if (!(in >> guard >> descriptor) || guard != ::getppid()) return std::nullopt;
  return descriptor;
}

void send_to_guard(const GuardMessage& told) {
  const auto descriptor = guarded();
  if (!descriptor) return;
  [[maybe_unused]] const ssize_t written = ::write(*descriptor, &told, sizeof told);
}

std::optional<platform::ProcessIdentity> supervisor() {
  const char* text = std::getenv(supervisor_variable);
  return text == nullptr ? std::nullopt : platform::ProcessIdentity::parse(text);
}

std::string other_program() {
  return fmt::format(
      "the program that the launcher started on {} ({}) is a different build from the one that runs this experiment: "
      "it was replaced after the start. Start the experiment again",
      platform::host_name(), own_program());
}

}  // namespace

int guard_rank() {
  const auto place = comm::process_place();
  if (!place) {
    std::cerr << "ddlbench rank can only be started by an MPI launcher\n";
    return 2;
  }
  if (const char* wanted = std::getenv(program_variable); wanted != nullptr && wanted != platform::program_id()) {
    write_message(STDOUT_FILENO, place->rank, Failure{Status::failed, other_program()});
    return 1;
  }
  std::string program = own_program();
  std::string worker = "worker";
  const std::array<char*, 3> words{program.data(), worker.data(), nullptr};
  GuardOptions options;
  options.supervisor = supervisor();
  options.report_killed = [&](const Rank& rank, int signal) {
    write_message(STDOUT_FILENO, place->rank, Killed{rank.process, platform::host_name(), signal});
  };
  return guard(words.data(), options);
}

std::optional<int> guard_in_ranks(char* arguments[]) {
  const std::string command = arguments[0] != nullptr && arguments[1] != nullptr ? arguments[1] : "";
  if (!in_ranks() || guarded() || command == "rank" || command == "worker") return std::nullopt;
  int told[2];
  if (::pipe(told) != 0) {
    print_start_error();
    return 127;
  }
  ::fcntl(told[0], F_SETFD, FD_CLOEXEC);
  for (const int end : told) ::fcntl(end, F_SETFL, O_NONBLOCK);  // a stopped guard must not block a rank
  ::setenv(guard_variable, (fmt::format("{} {}", ::getpid(), told[1])).c_str(), 1);
  // The cases, and whether they oversubscribe the cores, are not known yet.
  for (const auto& [name, value] : spin_variables(true)) ::setenv(name.c_str(), value.c_str(), 0);
  const std::string rank_text = fmt::format("rank {}", comm::process_place()->rank);
  const auto say = [&](const std::string& what) {
    std::cerr << fmt::format("ddlbench: {}{}: the run ends here\n", rank_text, what) << std::flush;
  };
  const auto on_host = [](pid_t process) { return fmt::format(" (process {} on {})", process, platform::host_name()); };
  GuardOptions options;
  const bool speaks = comm::local_rank().value_or(0) == 0;
  options.extra_looks = speaks ? 0 : 4;
  options.told = told[0];
  options.report_killed = [&](const Rank& rank, int signal) {
    say(fmt::format("{} was killed by signal {}", on_host(rank.process), signal_text(signal)));
  };
  options.report_stopped = [&](const Rank& rank, pid_t stopped) {
    if (stopped == rank.process) return say(on_host(stopped) + " remained stopped");
    if (speaks) say(" cannot continue: the launcher's" + on_host(stopped) + " remained stopped");
  };
  return guard(arguments, options);
}

void notify_guard_of_case(std::chrono::milliseconds timeout) {
  send_to_guard({timeout.count(), 1});
}

void notify_guard_of_end(std::chrono::milliseconds timeout) {
  send_to_guard({timeout.count(), 0});
}

void wake_guard() {
  if (guarded()) wake_if_stopped(::getppid());
}

}  // namespace ddlbench::bench
