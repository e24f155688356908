#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json/node.h"
#include "json/problem.h"

namespace ddlbench::json {

/// Reads strict JSON (RFC 8259: no comments, no trailing commas, no NUL bytes) with locations. A syntax error ends the
/// reading: the function returns nothing and adds one problem with its location. More than 64 levels or 250,000 values
/// end it in the same way. A duplicate key in an object, of which the first counts, and a number other than 0 that a
/// double would round to 0 are problems, too, but reading goes on; it ends without a result once there are 100
/// problems. `start` is the location of the first character of the text.
std::optional<Node> read(const std::string& text, std::vector<Problem>& problems, Location start = {});

/// Returns whether the text is valid UTF-8, as JSON requires.
bool is_utf8(const std::string& text);

}  // namespace ddlbench::json
