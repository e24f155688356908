#pragma once

#include <string>
#include <vector>

namespace ddlbench::bench {

/// What `devices.collectives` can be: "auto", and the algorithms there are.
std::vector<std::string> collective_words();

}  // namespace ddlbench::bench
