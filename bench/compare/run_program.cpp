#include "bench/compare/run_program.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <deque>
#include <fstream>

#include "base/error.h"
#include "base/join.h"
#include "bench/launcher/case_log.h"
#include "bench/launcher/child.h"
#include "bench/launcher/line_reader.h"

namespace ddlbench::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// The output of a running program.
class ProgramOutput {
 public:
  ProgramOutput(const Child& child, const std::string& log)
      : file_(log), log_(file_), output_(child.output()), errors_(child.log()) {
    if (!file_) throw InputError(log + ": cannot be written");
  }

  /// Returns whether there was anything to read.
  bool read() {
    const auto take = [this](const std::string& line) {
      log_.add(line);
      last_.push_back(line);
      if (last_.size() > 3) last_.pop_front();
    };
    const std::size_t bytes = output_.read(take) + errors_.read(take);
    log_.flush();
    return bytes > 0;
  }
  /// Waits for output, for a signal if `signals` are given, or for a moment.
  void wait(const Child& child, const StopSignals* signals) const {
    pollfd sources[] = {{output_.closed() ? -1 : child.output(), POLLIN, 0},
                        {errors_.closed() ? -1 : child.log(), POLLIN, 0},
                        {signals ? signals->descriptor() : -1, POLLIN, 0}};
    constexpr int milliseconds = 50;
    ::poll(sources, std::size(sources), milliseconds);
  }
  std::string last_lines() const { return joined(last_, "; "); }

 private:
  std::ofstream file_;
  CaseLog log_;
  LineReader output_, errors_;
  std::deque<std::string> last_;
};

int exit_code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

ProgramEnd run_program(const LaunchCommand& command, const std::string& log, const StopSignals& signals) {
  constexpr std::chrono::seconds time_to_end{5};
  Child child(command, "");
  ProgramOutput output(child, log);
  bool stopping = false;
  Clock::time_point deadline;
  for (;;) {
    const auto status = child.poll();
    while (output.read() && status) continue;
    if (status) return {signals.received() != 0, exit_code_of(*status), output.last_lines()};
    if (!stopping && signals.received() != 0) {
      stopping = true;
      deadline = Clock::now() + time_to_end;
      ::kill(child.id(), signals.received());
    }
    if (stopping && (signals.repeated() || Clock::now() > deadline)) return {true, 0, output.last_lines()};
    output.wait(child, stopping ? nullptr : &signals);
  }
}

}  // namespace ddlbench::bench
