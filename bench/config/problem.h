#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "json/problem.h"

namespace ddlbench::bench {

/// An error with all problems of one configuration, sorted by position, one per line.
class ConfigError : public InputError {
 public:
  ConfigError(std::vector<json::Problem> problems, const json::Sources& sources);
  const std::vector<json::Problem>& problems() const { return problems_; }

 private:
  std::vector<json::Problem> problems_;
};

/// Returns the position of the value, or of the nearest value around it that was written.
json::Location location_of(const std::map<std::string, json::Location>& locations, std::string pointer);

}  // namespace ddlbench::bench
