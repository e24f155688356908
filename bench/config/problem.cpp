#include "bench/config/problem.h"

namespace ddlbench::bench {

ConfigError::ConfigError(std::vector<json::Problem> problems, const std::string& file)
    : InputError(json::to_string(json::sorted(problems), file)), problems_(json::sorted(std::move(problems))) {}

}  // namespace ddlbench::bench
