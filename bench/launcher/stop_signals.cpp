#include "bench/launcher/stop_signals.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <fmt/core.h>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace ddlbench::bench {

namespace {

// The signal handler accesses only these.
volatile sig_atomic_t first_signal = 0;
volatile sig_atomic_t is_repeated = 0;
volatile std::int64_t first_nanoseconds = 0;  // read and written in the handler alone
int wake_pipe[2] = {-1, -1};

std::int64_t nanoseconds_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void note(int signal) {
  constexpr std::int64_t shortest = 1'000'000'000;
  const int saved = errno;
  if (first_signal == 0) {
    first_signal = signal;
    first_nanoseconds = nanoseconds_now();
  } else if (signal == SIGINT || (signal != SIGALRM && nanoseconds_now() - first_nanoseconds >= shortest)) {
    is_repeated = 1;
  }
  [[maybe_unused]] const ssize_t written = ::write(wake_pipe[1], "!", 1);
  errno = saved;
}

}  // namespace

std::string signal_text(int signal) {
  static constexpr std::pair<int, const char*> names[] = {
      {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},   {SIGABRT, "SIGABRT"},
      {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGKILL, "SIGKILL"}, {SIGSEGV, "SIGSEGV"}, {SIGPIPE, "SIGPIPE"},
      {SIGTERM, "SIGTERM"}, {SIGXCPU, "SIGXCPU"}, {SIGUSR2, "SIGUSR2"}, {SIGALRM, "SIGALRM"},
  };
  for (const auto& [number, name] : names) {
    if (number == signal) return fmt::format("{} ({})", signal, name);
  }
  return std::to_string(signal);
}

StopSignals::StopSignals() {
  require(wake_pipe[0] < 0, "two supervisors in one process");
  if (::pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
    throw InputError(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  first_signal = 0;
  is_repeated = 0;
  struct sigaction action {};
  action.sa_handler = note;
  ::sigaction(SIGINT, &action, &interrupt_);
  ::sigaction(SIGTERM, &action, &terminate_);
  ::sigaction(SIGUSR2, &action, &user_);
  ::sigaction(SIGALRM, &action, &alarm_);
  ::sigaction(SIGHUP, &action, &hangup_);
  if (hangup_.sa_handler == SIG_IGN) ::sigaction(SIGHUP, &hangup_, nullptr);  // started by nohup: ignore it further
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, &pipe_);
}

StopSignals::~StopSignals() {
  ::sigaction(SIGINT, &interrupt_, nullptr);
  ::sigaction(SIGTERM, &terminate_, nullptr);
  ::sigaction(SIGHUP, &hangup_, nullptr);
  ::sigaction(SIGUSR2, &user_, nullptr);
  ::sigaction(SIGALRM, &alarm_, nullptr);
  ::sigaction(SIGPIPE, &pipe_, nullptr);
  ::close(wake_pipe[0]);
  ::close(wake_pipe[1]);
  wake_pipe[0] = wake_pipe[1] = -1;
}

int StopSignals::received() const {
  return first_signal;
}
bool StopSignals::repeated() const {
  return is_repeated != 0;
}
int StopSignals::descriptor() const {
  return wake_pipe[0];
}

}  // namespace ddlbench::bench
