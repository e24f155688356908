#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "bench/config/experiment.h"
#include "bench/launcher/executor.h"
#include "bench/launcher/progress_display.h"

namespace ddlbench::bench {

/// How to run an experiment, beside what it is.
struct RunRequest {
  std::string output;               ///< folder of the records; empty: results/NAME-TIMESTAMP
  std::string resolved_config;      ///< JSON text, written to config.json and hashed into environment.json
  Terminal terminal;                ///< what `err` is: detect_terminal(STDERR_FILENO) when it is standard error
  std::optional<int> max_failures;  ///< after so many the rest is skipped
  bool quiet = false;               ///< no progress on `err`
};

/// Runs every case by `executor`, one after another, and keeps the records. The table, the decision and the folder
/// go to `out`, progress to `err`. A stop signal keeps what was found, and ends the run.
/// Returns the exit code: 0; 1 when is_failure() holds for a case, or certificates are all that is wanted and an ok
/// case has none; 4 where the records could not be kept to the end; 129, 130 or 143 after a signal. Throws InputError,
/// before anything runs, when the output folder cannot be written, is not empty or is another run's.
int run_experiment(const Experiment& experiment, const std::vector<Case>& cases, const RunRequest& request,
                   Executor& executor, std::ostream& out, std::ostream& err);

}  // namespace ddlbench::bench
