#include "bench/launcher/stop_signals.h"

#include <unistd.h>

#include "catch.h"

using ddlbench::bench::StopSignals;

TEST_CASE("requests to stop that come together are one, and a second Ctrl-C is another") {
  {
    const StopSignals signals;
    ::kill(::getpid(), SIGUSR2);
    ::kill(::getpid(), SIGTERM);
    ::kill(::getpid(), SIGALRM);
    CHECK(signals.received() == SIGUSR2);
    CHECK_FALSE(signals.repeated());
    ::kill(::getpid(), SIGINT);
    CHECK(signals.received() == SIGUSR2);
    CHECK(signals.repeated());
  }
  const StopSignals signals;
  CHECK(signals.received() == 0);
  CHECK_FALSE(signals.repeated());
  ::kill(::getpid(), SIGTERM);
  ::usleep(1'100'000);
  ::kill(::getpid(), SIGALRM);
  CHECK_FALSE(signals.repeated());
  ::kill(::getpid(), SIGTERM);
  CHECK(signals.repeated());
}
