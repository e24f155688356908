#pragma once

#include <cstdint>

namespace ddlbench::platform {

/// The resident memory of this process as Linux reports it (proc(5), VmRSS and VmHWM): its current size, and its peak
/// since the process started or since reset_resident_peak().
std::int64_t resident_bytes();
std::int64_t resident_peak_bytes();
/// Resets the peak. Returns false if the system cannot do that.
bool reset_resident_peak();

}  // namespace ddlbench::platform
