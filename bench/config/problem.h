#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "json/problem.h"

namespace ddlbench::bench {

/// All problems of one configuration, in the order of their positions, one a line.
class ConfigError : public InputError {
 public:
  ConfigError(std::vector<json::Problem> problems, const std::string& file);
  const std::vector<json::Problem>& problems() const { return problems_; }

 private:
  std::vector<json::Problem> problems_;
};

/// Of the value, or of the nearest around it that was written.
json::Location location_of(const std::map<std::string, json::Location>& locations, std::string pointer);

}  // namespace ddlbench::bench
