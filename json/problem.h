#pragma once

#include <string>
#include <vector>

#include "json/location.h"

namespace ddlbench::json {

/// An error in a document that the user has to correct.
struct Problem {
  Location at;
  std::string pointer;  ///< RFC 6901; empty for a syntax error or for the whole document
  std::string what;
};

/// Returns "file:line:column", or "--set:n:column" for the n-th --set.
std::string to_string(const Location& at, const std::string& file);
/// Returns "file:line:column: /pointer: what" on one line, escaped by printable().
std::string to_string(const Problem& problem, const std::string& file);

/// Sorts problems by location.
std::vector<Problem> sorted(std::vector<Problem> problems);
/// Returns one problem per line.
std::string to_string(const std::vector<Problem>& problems, const std::string& file, const std::string& between = "\n");

}  // namespace ddlbench::json
