#pragma once

#include <signal.h>

#include <string>

namespace ddlbench::bench {

/// "9 (SIGKILL)"
std::string signal_text(int signal);

/// During its lifetime, SIGINT, SIGTERM, SIGUSR2, SIGALRM and SIGHUP (unless ignored) do not end the process; they are
/// recorded here and interrupt a poll(2). Batch systems send SIGUSR2 before the end of a job; SIGALRM is for a time
/// limit. SIGPIPE is ignored: an experiment continues if the reader of its output ends. Only one may exist at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int received() const;  ///< the number of the first signal; 0 if there was none
  /// Returns whether somebody asked again, and does not want to wait: by a SIGINT, or by another signal more than a
  /// second after the first. Within it, a batch system and its script may send the same request. SIGALRM does not
  /// count.
  bool repeated() const;
  int descriptor() const;  ///< becomes readable when a signal arrives

 private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
  struct sigaction hangup_ {};
  struct sigaction user_ {};
  struct sigaction alarm_ {};
  struct sigaction pipe_ {};
};

}  // namespace ddlbench::bench
