#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ddlbench::platform {

/// The value of the first line "FIELD : value" of a file such as /proc/cpuinfo, without blanks around it; nothing where
/// there is no such line.
std::optional<std::string> text_of_field(const std::string& file, const std::string& field);

/// That of "FIELD:   123 kB", as /proc/self/status and /proc/meminfo have it, in bytes.
std::optional<std::int64_t> bytes_of_field(const std::string& file, const std::string& field);

}  // namespace ddlbench::platform
