#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ddlbench::platform {

/// Returns how many processes the kernel's OOM killer has killed since this machine started, in any control group;
/// nothing if the kernel does not report it. `file` is a parameter for tests only.
std::optional<std::int64_t> oom_kills(const std::string& file = "/proc/vmstat");

}  // namespace ddlbench::platform
