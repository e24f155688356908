#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/config/experiment.h"
#include "bench/config/registries.h"

namespace ddlbench::bench {

/// A function that records in a case why it cannot run, if it cannot.
using CaseCheck = std::function<void(const Experiment&, Case&)>;

/// Returns one case for every point of all sweeps: variants × strategies × ranks × batches × seeds, where the section
/// `sweep` allows it. `single`, the baseline, runs on all `cores`, and once more with `threads_per_rank` threads if
/// that is another number. Several ranks that are processes may also
/// use the `other_cores` of the devices. A rank on an accelerator uses `threads_per_rank` cores of the host, or one if
/// that is 0. The numbers in ids count the excluded cases, too, and the second case of `single` where both would be the
/// same: ids do not depend on the cores. Throws ConfigError if a rule matches no case, or if all are excluded.
std::vector<Case> expand(const Experiment& experiment, const Registries& registries, int cores,
                         const CaseCheck& check_case = {});

/// Throws ConfigError, with all reasons, if all cases of an entry of the strategies cannot run and none of them is
/// expected to be unsupported.
void require_runnable(const Experiment& experiment, const std::vector<Case>& cases);

}  // namespace ddlbench::bench
