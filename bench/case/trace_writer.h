#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "program/plan.h"
#include "program/timeline.h"

namespace ddlbench::bench {

/// One step of every rank in Chrome's trace event format, which Perfetto opens: a process for each rank,
/// threads "compute" (also waits and input) and "communication" (a further one for each communication in
/// flight beside others), phases as categories, micro-batch and stage as arguments. Microseconds since the
/// first rank began.
void write_trace(std::ostream& out, const program::Plan& plan, const std::vector<program::StepTimeline>& ranks);

/// The same into a file, whose folder is made, whole or not at all. Throws InputError naming it where it cannot be
/// written.
void write_trace_file(const std::string& path, const program::Plan& plan,
                      const std::vector<program::StepTimeline>& ranks);

}  // namespace ddlbench::bench
