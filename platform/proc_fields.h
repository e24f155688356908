#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ddlbench::platform {

/// Returns the value of the first line "FIELD : value" of a file such as /proc/cpuinfo, without surrounding blanks;
/// nothing if there is no such line.
std::optional<std::string> text_of_field(const std::string& file, const std::string& field);

/// Returns the value of a line "FIELD: 123 kB", as in /proc/self/status and /proc/meminfo, in bytes.
std::optional<std::int64_t> bytes_of_field(const std::string& file, const std::string& field);

}  // namespace ddlbench::platform
