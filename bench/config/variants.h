#pragma once

#include "bench/config/experiment.h"

namespace ddlbench::bench {

/// Return the experiment restricted to one of its variants, or to that of a case. The result has neither locations nor
/// rules of the sweep; the whole experiment has them.
Experiment of_variant(const Experiment& experiment, std::size_t index);
Experiment of_case(const Experiment& experiment, const Case& which);

/// Returns the devices of a case, as of_case() has them.
Devices devices_of(const Experiment& experiment, const Case& which);

/// Returns whether the ranks of any variant need a launcher of MPI.
bool any_needs_launcher(const Experiment& experiment);

}  // namespace ddlbench::bench
