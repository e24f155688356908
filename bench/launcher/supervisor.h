#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "bench/config/experiment.h"
#include "bench/launcher/deadline.h"
#include "bench/launcher/executor.h"
#include "bench/launcher/progress_display.h"
#include "bench/records/record.h"
#include "bench/records/store.h"

namespace ddlbench::bench {

/// How to run an experiment, in addition to the experiment itself.
struct RunRequest {
  std::string output;                         ///< folder of the records; empty: results/NAME-TIMESTAMP
  std::optional<Resumption> resumption = {};  ///< continue the records of this folder instead
  Retry retry = Retry::infrastructure;        ///< which of its cases run again
  std::map<std::string, double> work = {};    ///< of each case, by id, in FLOPs (CaseDurations)
  Deadline deadline = {};                     ///< nothing starts that cannot end before
  std::string shard = {};                     ///< RunKind::shard
  int retries = 0;                            ///< further attempts of a case that loses a rank
  std::string resolved_config;                ///< JSON text, written to config.json and hashed into environment.json
  Terminal terminal;                ///< the terminal behind `err`: detect_terminal(STDERR_FILENO) if it is standard
                                    ///< error
  std::optional<int> max_failures;  ///< after this many failed cases the rest is skipped
  bool quiet = false;               ///< no progress on `err`
  /// Returns what to write to `out` at the end; empty: the table, the decision and the folder.
  std::function<std::string(const std::string& folder, const Records& records)> summary = {};
};

/// Runs every case with `executor`, one after another, and stores the records. In a resumed folder, cases that have
/// ended are not run again (is_retried()), and rounds of contracts whose cases have all ended are kept. Writes the
/// summary to `out` at the end, and progress to `err`. A stop signal ends the run; the results so far are kept. Returns
/// the exit code: 0; 1 if is_failure() holds for a case, or if only certificates are asked for and a case that is ok
/// has none; 4 if records could not be stored to the end; 129, 130, 140 or 143 after a signal, 142 after
/// the time limit. Throws InputError before
/// anything runs if the output folder cannot be written, is not empty or belongs to another run.
int run_experiment(const Experiment& experiment, const std::vector<Case>& cases, const RunRequest& request,
                   Executor& executor, std::ostream& out, std::ostream& err);

}  // namespace ddlbench::bench
