#pragma once

#include <string>
#include <string_view>

#include "runtime/checkpoint/safetensors_header.h"

namespace ddlbench::runtime {

/// The JSON of a safetensors header, its form checked and nothing else: tensors in the order in which they stand, with
/// whatever type, shape and place they claim. Keeps no more than the text has. Throws InputError.
SafetensorsHeader read_header(std::string_view text, const std::string& file);

/// A name of a file's own in quotes, cut where it is very long, for messages.
std::string shown(const std::string& name);

}  // namespace ddlbench::runtime
