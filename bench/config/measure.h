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
};

template <class Visitor>
void describe(Visitor& v, Measure& m) {
  v("warmup_steps", m.warmup_steps, Range{0, 1e6}, "Untimed steps before the measurement.");
  v("steps", m.steps, Range{1, 1e6}, "Timed steps per repetition.");
  v("repetitions", m.repetitions, Range{1, 1000},
    "Number of repetitions; the interval of `step_seconds` covers the steps of all of them.");
  v("verify_steps", m.verify_steps, Range{0, 10000}, "Steps compared with one rank for the certificate; 0: none.");
  v("timeout_seconds", m.timeout_seconds, Range{0, 86400, true},
    "Time without progress after which a case is stopped.");
}

}  // namespace ddlbench::bench
