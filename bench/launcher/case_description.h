#pragma once

#include "bench/config/experiment.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

/// Returns the record of a case of this experiment with everything that is known before it runs. The experiment is the
/// one of the case's variant.
CaseRecord describe_case(const Experiment& experiment, const Case& which);

}  // namespace ddlbench::bench
