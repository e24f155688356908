#pragma once

#include <string>
#include <vector>

#include "bench/config/json_tree.h"
#include "graph/error.h"

namespace ddlbench::bench {

/// Something in a configuration that a person has to mend.
struct Problem {
  Location at;
  std::string pointer;  ///< RFC 6901; empty where the text is no JSON, or the whole document is meant
  std::string what;
};

/// "file:line:column", or "--set:n:column" for the n-th --set.
std::string to_string(const Location& at, const std::string& file);
/// "file:line:column: /pointer: what".
std::string to_string(const Problem& problem, const std::string& file);

/// All problems of one configuration, in the order of their positions, one a line.
class ConfigError : public InputError {
 public:
  ConfigError(std::vector<Problem> problems, const std::string& file);
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

}  // namespace ddlbench::bench
