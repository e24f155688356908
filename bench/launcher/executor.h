#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "bench/launcher/messages.h"
#include "bench/launcher/worker_request.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

/// The result of a case.
struct Outcome {
  Status status = Status::failed;
  std::string reason;
  std::optional<Measurement> measurement;  ///< present if the status is ok
  bool log_is_incomplete = false;          ///< the case's log could not be written to its end
  std::string lost_host = {};              ///< where a rank was lost, if the status is lost_rank and that is known
};

/// Receives what happens in a running case.
struct Listener {
  std::function<void(const Message&)> heard;  ///< progress and records
  std::function<void(const UtilisationRecord&)> sampled;
  /// A process of the case has started on a host: that of this rank, or of all ranks if they are threads. May be empty.
  std::function<void(int rank, const std::string& host)> placed = {};
};

/// A case to run, and where its output other than messages goes, as far as the executor can separate it.
struct CaseRun {
  WorkerRequest request;
  std::string log_file;
  Listener listener;
};

/// Runs cases and, as far as possible, survives their failures.
class Executor {
 public:
  virtual ~Executor() = default;
  /// Runs a case and blocks until it ends. See CaseRun.
  virtual Outcome run(const WorkerRequest& request, const std::string& log_file, const Listener& listener) = 0;
  /// Returns how much memory cases may use together that run at once; nothing if this executor cannot run several.
  virtual std::optional<std::int64_t> memory_of_several() const { return std::nullopt; }
  /// Runs cases at once, in time slices, as AlternatingWatches describes it, and blocks until all have ended. Their
  /// ranks run on this machine. Calls `tick` at least twenty times a second, and no listener's `sampled`.
  virtual std::vector<Outcome> run_alternately(const std::vector<CaseRun>& /*runs*/,
                                               std::chrono::milliseconds /*time_slice*/,
                                               const std::function<void()>& /*tick*/) {
    throw ContractError("this executor cannot run several cases at once");
  }
  /// Returns why no further case can run; empty if one can.
  virtual std::string why_ended() const = 0;
  /// Returns the signal that asked the run to stop; 0 if none was received.
  virtual int stop_signal() const { return 0; }
  /// Returns whether all processes of cases on this machine are this process and descendants that it waits for.
  virtual bool waits_for_processes() const { return true; }
};

}  // namespace ddlbench::bench
