#include "bench/config/problem.h"

namespace ddlbench::bench {

ConfigError::ConfigError(std::vector<json::Problem> problems, const json::Sources& sources)
    : InputError(json::to_string(json::sorted(problems), sources)), problems_(json::sorted(std::move(problems))) {}

json::Location location_of(const std::map<std::string, json::Location>& locations, std::string pointer) {
  for (;; pointer.erase(pointer.rfind('/'))) {
    const auto at = locations.find(pointer);
    if (at != locations.end()) return at->second;
    if (pointer.rfind('/') == std::string::npos) return {};
  }
}

}  // namespace ddlbench::bench
