#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "bench/launcher/child.h"
#include "bench/launcher/executor.h"
#include "bench/launcher/stop_signals.h"
#include "bench/launcher/time_slices.h"

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

class Watch;

/// Watches cases that run in time slices, as watch() does one; the time in which a case is suspended does not count.
/// Before its warm-up each case waits until the others have reached theirs, so that all time their steps together, but
/// at most for a quarter of the timeout. When a stop signal arrives, all of them end at the same time.
class AlternatingWatches {
 public:
  AlternatingWatches(std::chrono::milliseconds time_slice, const StopSignals& signals, std::function<void()> tick);
  ~AlternatingWatches();

  /// Adds a case whose process has just started, and suspends it. All arguments but the options must outlive this
  /// object.
  void add(Child& child, const WatchOptions& options, std::ostream& log, const Listener& listener);
  /// Returns the outcomes of all cases, in their order.
  std::vector<Outcome> run();

 private:
  TimeSlices slices_;
  const StopSignals& signals_;
  std::function<void()> tick_;
  std::vector<std::unique_ptr<Watch>> watches_;
};

}  // namespace ddlbench::bench
