#pragma once

#include <functional>
#include <optional>
#include <string>

#include "bench/launcher/messages.h"
#include "bench/launcher/worker_request.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

/// How a case ended.
struct Outcome {
  Status status = Status::failed;
  std::string reason;
  std::optional<Measurement> measurement;  ///< when ok
};

/// What is told of a running case.
struct Listener {
  std::function<void(const Message&)> heard;  ///< every message but the last word (Measurement, Failure)
  std::function<void(const UtilisationRecord&)> sampled;
};

/// Runs cases, one after another, and survives them as far as it can.
class Executor {
 public:
  virtual ~Executor() = default;
  /// `log_file` gets what the case writes beside its messages, where that can be kept apart.
  virtual Outcome run(const WorkerRequest& request, const std::string& log_file, const Listener& listener) = 0;
  /// Why no further case can be run; empty where one can.
  virtual std::string why_ended() const = 0;
  /// That wants the run to end; 0 where none came.
  virtual int stop_signal() const { return 0; }
};

}  // namespace ddlbench::bench
