#pragma once

#include <chrono>
#include <functional>
#include <ostream>
#include <string>

#include "bench/launcher/child.h"
#include "bench/launcher/executor.h"
#include "bench/launcher/stop_signals.h"

namespace ddlbench::bench {

struct WatchOptions {
  std::chrono::milliseconds timeout;  ///< without a message
  std::chrono::milliseconds grace;    ///< between SIGTERM and SIGKILL
};

/// Listens to a case until its process has ended, and ends it when it stays silent for too long, talks
/// nonsense, says that it failed but does not end, or a stop signal comes. `heard` gets every message but the last
/// (Measurement, Failure); `log` gets what the process writes beside them. `tick` is called some twenty times a second.
Outcome watch(Child& child, const WatchOptions& options, const StopSignals& signals, std::ostream& log,
              const std::function<void(const Message&)>& heard, const std::function<void()>& tick);

}  // namespace ddlbench::bench
