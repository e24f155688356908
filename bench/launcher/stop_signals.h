#pragma once

#include <signal.h>

#include <string>

namespace ddlbench::bench {

/// "9 (SIGKILL)"
std::string signal_text(int signal);

/// While it lives, SIGINT, SIGTERM and SIGHUP (unless it is ignored) do not end the process but are noted here,
/// and interrupt a poll(2). SIGPIPE is ignored: a reader of the output who goes away stops no experiment.
/// One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int received() const;    ///< the first one's number, 0 where none came
  int count() const;       ///< how many came: who asks twice does not want to wait
  int descriptor() const;  ///< becomes readable when one comes

 private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
  struct sigaction hangup_ {};
  struct sigaction pipe_ {};
};

}  // namespace ddlbench::bench
