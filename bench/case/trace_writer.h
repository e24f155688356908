#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "program/plan.h"
#include "program/timeline.h"

namespace ddlbench::bench {

/// Writes one step of every rank in Chrome's trace event format, which Perfetto opens. Each rank is a process with
/// threads "compute" (also waits and input) and "communication" (with further ones for communications that overlap).
/// Phases are categories; micro-batch and stage are arguments. Times are microseconds since the first rank began.
void write_trace(std::ostream& out, const program::Plan& plan, const std::vector<program::StepTimeline>& ranks);

/// Writes the same to a file, atomically, and creates the file's folder. Throws InputError naming the file or folder if
/// it cannot be written.
void write_trace_file(const std::string& path, const program::Plan& plan,
                      const std::vector<program::StepTimeline>& ranks);

}  // namespace ddlbench::bench
