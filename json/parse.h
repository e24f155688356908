#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "json/location.h"

namespace ddlbench::json {

/// Where the first NUL byte of a text stands. JSON has none, but nlohmann's parser takes one for the end of the text:
/// whoever gives it a text looks for one first.
std::optional<Location> find_nul(std::string_view text, Location start = {});

/// What is wrong where one stands.
inline constexpr const char* nul_is_no_text = "a NUL byte: JSON is UTF-8 text, which has none";

/// The whole of a text as nlohmann's library reads it. Throws InputError: "not JSON: line 3, column 7".
nlohmann::json parse_whole(std::string_view text);

}  // namespace ddlbench::json
