#pragma once

#include <cstddef>
#include <string>

#include "base/input_file.h"

namespace ddlbench::json {

/// Of a file that a person writes: configurations and models.
inline constexpr std::size_t most_file_bytes = std::size_t{16} << 20;

/// Its whole text. Throws InputError where it cannot be read, or has more than most_file_bytes, of which no more are
/// read.
std::string read_file(const std::string& file, Pipes pipes = Pipes::accepted);

}  // namespace ddlbench::json
