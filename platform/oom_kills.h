#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ddlbench::platform {

/// How many processes the kernel has killed for want of memory since this machine started, in any control
/// group; nothing where it does not say. `file`: /proc/vmstat, but for tests.
std::optional<std::int64_t> oom_kills(const std::string& file = "/proc/vmstat");

}  // namespace ddlbench::platform
