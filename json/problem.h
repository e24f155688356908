#pragma once

#include <string>
#include <vector>

#include "json/location.h"

namespace ddlbench::json {

/// Something in a document that a person has to mend.
struct Problem {
  Location at;
  std::string pointer;  ///< RFC 6901; empty where the text is no JSON, or the whole document is meant
  std::string what;
};

/// "file:line:column", or "--set:n:column" for the n-th --set.
std::string to_string(const Location& at, const std::string& file);
/// "file:line:column: /pointer: what", on one line as printable has it.
std::string to_string(const Problem& problem, const std::string& file);

/// In the order of their positions.
std::vector<Problem> sorted(std::vector<Problem> problems);
/// One a line.
std::string to_string(const std::vector<Problem>& problems, const std::string& file, const std::string& between = "\n");

}  // namespace ddlbench::json
