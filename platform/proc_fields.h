#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ddlbench::platform {

/// The line "FIELD:   123 kB" of a file such as /proc/self/status or /proc/meminfo, in bytes; nothing where there is
/// none.
std::optional<std::int64_t> bytes_of_field(const std::string& file, const std::string& field);

}  // namespace ddlbench::platform
