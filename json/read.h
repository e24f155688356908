#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json/node.h"
#include "json/problem.h"

namespace ddlbench::json {

/// Strict JSON (RFC 8259: no comments, no trailing commas, no NUL byte) with positions. A syntax error ends the
/// reading: nothing is returned and one problem says where. A key that stands twice in one object is a problem, too;
/// the first one counts. So is a number other than 0 that no double holds apart from it. More than 64 levels or 250,000
/// values are refused as a syntax error is. `start` is the location of the text's first character.
std::optional<Node> read(const std::string& text, std::vector<Problem>& problems, Location start = {});

/// What JSON text can hold.
bool is_utf8(const std::string& text);

}  // namespace ddlbench::json
