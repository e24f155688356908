#pragma once

#include <cstdint>

namespace ddlbench::platform {

/// Of this process, as Linux tells (proc(5), VmRSS and VmHWM): what is resident, and the most that was since it began,
/// or since begin_resident_peak().
std::int64_t resident_bytes();
std::int64_t resident_peak_bytes();
/// False where the system cannot begin the peak anew.
bool begin_resident_peak();

}  // namespace ddlbench::platform
