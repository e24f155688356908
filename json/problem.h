#pragma once

#include <string>
#include <utility>
#include <vector>

#include "json/location.h"

namespace ddlbench::json {

/// An error in a document that the user has to correct.
struct Problem {
  Location at;
  std::string pointer;  ///< RFC 6901; empty for a syntax error or for the whole document
  std::string what;
};

/// Where the text of a document comes from.
struct Sources {
  Sources(std::string path, std::vector<std::string> arguments = {})
      : file(std::move(path)), overrides(std::move(arguments)) {}
  Sources(const char* path) : Sources(std::string(path)) {}
  std::string file;
  std::vector<std::string>
      overrides;  ///< the arguments of --set, "/pointer=value"; Location::source counts them from 1
};

/// Returns the problem on one line, escaped by printable(): "file:line:column: /pointer: what", or for a value of a
/// --set "--set /pointer=value: what". A problem of a value in the file names the --set that changed a part of it.
std::string to_string(const Problem& problem, const Sources& sources);

/// Sorts problems by location.
std::vector<Problem> sorted(std::vector<Problem> problems);
/// Returns the first twenty problems, one per line, and the number of the others.
std::string to_string(const std::vector<Problem>& problems, const Sources& sources, const std::string& between = "\n");

}  // namespace ddlbench::json
