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
  v("warmup_steps", m.warmup_steps, Range{0, 1e6}, "Steps before the clock starts.");
  v("steps", m.steps, Range{1, 1e6}, "Timed steps of each repetition.");
  v("repetitions", m.repetitions, Range{1, 1000},
    "How often the timed steps are repeated; the interval of `step_seconds` is over all steps.");
  v("verify_steps", m.verify_steps, Range{0, 10000}, "Steps held against one rank for the certificate; 0: none.");
  v("timeout_seconds", m.timeout_seconds, Range{0, 86400, true},
    "Time without any progress after which a case is ended.");
}

}  // namespace ddlbench::bench
