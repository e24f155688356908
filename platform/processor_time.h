#pragma once

namespace ddlbench::platform {

/// Returns the processor time of this process so far, of all its threads, in seconds.
double processor_seconds();

/// Returns that of all descendants of this process that have ended and were waited for.
double processor_seconds_of_ended();

}  // namespace ddlbench::platform
