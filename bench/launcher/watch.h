#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <ostream>
#include <string>

#include "bench/launcher/child.h"
#include "bench/launcher/executor.h"
#include "bench/launcher/stop_signals.h"

namespace ddlbench::bench {

struct WatchOptions {
  std::chrono::milliseconds timeout;                    ///< without a message
  std::chrono::milliseconds grace;                      ///< between SIGTERM and SIGKILL
  std::optional<std::chrono::milliseconds> limit = {};  ///< of the case's whole time
  std::string stop_file = {};  ///< asks a training to save and to end (Case::stop_file); empty: it cannot be asked
  std::chrono::milliseconds time_to_save{20000};  ///< between that and SIGTERM
};

/// Watches a case until its process has ended. Ends it if it sends no message for too long, takes too long, sends an
/// invalid message, reports a failure without ending, or if a stop signal arrives: first it asks a training to save a
/// checkpoint, unless a second signal arrives. `log` receives the process's output other than messages. Calls `tick`
/// about twenty times a second, and of the listener everything but `sampled`.
Outcome watch(Child& child, const WatchOptions& options, const StopSignals& signals, std::ostream& log,
              const Listener& listener, const std::function<void()>& tick);

}  // namespace ddlbench::bench
