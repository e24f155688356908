#pragma once

#include <cstdint>
#include <string>

#include "base/input_file.h"

namespace ddlbench::json {

/// The largest size of a file that users write: configurations and models.
inline constexpr std::int64_t max_file_bytes = std::int64_t{16} << 20;

/// Returns the whole text of a file. Throws InputError if the file cannot be read or has more than max_file_bytes; in
/// that case it reads at most one byte more than the limit.
std::string read_file(const std::string& file, Pipes pipes = Pipes::accepted);

}  // namespace ddlbench::json
