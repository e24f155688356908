#pragma once

#include "base/option.h"

namespace ddlbench::bench {

/// Settings of timing and of certificates.
struct Measure {
  int warmup_steps = 3;
  int steps = 20;
  int repetitions = 3;
  int verify_steps = 5;
  double timeout_seconds = 60;  ///< a case that makes no progress for so long is ended
  double case_seconds = 0;      ///< a case that takes longer is ended; 0: no limit
  bool interleave = true;       ///< this and the next four: see launcher/contract_rounds.h
  double visit_seconds = 0.5;
  bool time_slices = true;
  double precision = 0.01;
  double max_seconds = 60;
  bool predict = true;
  bool train = true;
};

template <class Visitor>
void describe(Visitor& v, Measure& m) {
  v("warmup_steps", m.warmup_steps, Range{0, 1e6}, "Untimed steps before the measurement.");
  v("steps", m.steps, Range{1, 1e6}, "Timed steps per repetition in the case's own process.");
  v("repetitions", m.repetitions, Range{1, 1000},
    "Number of repetitions in the case's own process; without rounds, the interval of `step_seconds` covers the steps "
    "of all of them.");
  v("interleave", m.interleave,
    "Time the cases of a contract again in rounds, in which they take turns; false: only each in its own process.");
  v("visit_seconds", m.visit_seconds, Range{0, 3600, true}, "Minimum time of all timed steps of a turn together.");
  v("time_slices", m.time_slices,
    "Let the cases of a round run at once, in time slices of some 50 ms, so that load affects all of them alike; "
    "false, and where that is impossible: one after the other.");
  v("precision", m.precision, Range{0, 1, true},
    "The rounds end when the interval of each ratio that the decision names is at most ± this fraction; also the "
    "smallest difference of interest.");
  v("max_seconds", m.max_seconds, Range{0, 1e7},
    "The rounds of a contract end after this time in any case; a round that would take longer is not started.");
  v("verify_steps", m.verify_steps, Range{0, 10000}, "Steps compared with one rank for the certificate; 0: none.");
  v("predict", m.predict,
    "Time each kernel and each collective by itself, and predict the step from these times (columns `predicted_*`); "
    "false: leave that out, which saves seconds per case.");
  v("train", m.train,
    "Train the epochs; false: only verify and time steps. Then there are no epoch times, losses and accuracies, no "
    "peaks "
    "of the heap and of resident memory, and no checkpoints.");
  v("timeout_seconds", m.timeout_seconds, Range{0, 86400, true},
    "Time without progress after which a case is stopped.");
  v("case_seconds", m.case_seconds, Range{0, 1e9},
    "Maximum time of a case; after that it is stopped, with the status `timed_out`. 0: no limit. Ranks that your own "
    "launcher started ignore it.");
}

}  // namespace ddlbench::bench
