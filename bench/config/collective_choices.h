#pragma once

#include <string>
#include <vector>

namespace ddlbench::bench {

/// Returns the values that `devices.collectives` accepts: "auto" and the names of the algorithms.
std::vector<std::string> collective_choices();

}  // namespace ddlbench::bench
