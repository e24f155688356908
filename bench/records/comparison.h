#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/records/paired_verdicts.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

/// Returns one comparison for each record, in the same order. A baseline is a one-rank row that is ok, has timed steps,
/// did not share its resources, and whose certificate did not fail. Cases that took turns with their baseline, by the
/// verdicts of their contract, are compared round by round, others by the intervals of their step times.
std::vector<Comparison> compare(const std::vector<CaseRecord>& records,
                                const std::map<std::string, PairedVerdicts>& verdicts = {});

/// Returns the ratio of the slower case's step time to the faster one's, from the intervals of both alone: [slower's
/// low / faster's high, slower's high / faster's low].
Interval ratio_of_steps(const Measurement& faster, const Measurement& slower);

}  // namespace ddlbench::bench
