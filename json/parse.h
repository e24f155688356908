#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "json/location.h"

namespace ddlbench::json {

/// The most levels of lists and objects in a text. Functions of nlohmann's library that copy or print a value call
/// themselves for each level, and would exhaust the stack.
inline constexpr std::size_t max_depth = 64;

/// Returns the location of the first NUL byte of a text. JSON does not allow NUL bytes, but nlohmann's parser takes one
/// for the end of the text, so callers must check before they parse.
std::optional<Location> find_nul(std::string_view text, Location start = {});

/// The error message for a NUL byte.
inline constexpr const char* nul_byte_error = "a NUL byte, which JSON text cannot contain";

/// Parses a whole text with nlohmann's library. Throws InputError: "not JSON: line 3, column 7", also if it is nested
/// deeper than max_depth.
nlohmann::json parse_whole(std::string_view text);

}  // namespace ddlbench::json
