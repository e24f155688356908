#pragma once

#include <string>
#include <string_view>

#include "runtime/checkpoint/safetensors_header.h"

namespace ddlbench::runtime {

/// Parses the JSON of a safetensors header. Checks only its form: returns the tensors in header order, with any type,
/// shape and offsets that they claim. Stores no more than the text contains. Throws InputError.
SafetensorsHeader read_header(std::string_view text, const std::string& file);

/// Quotes a name from a file for messages, truncated if it is very long.
std::string shown(const std::string& name);

}  // namespace ddlbench::runtime
