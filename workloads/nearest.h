#pragma once

#include <string>
#include <vector>

namespace ddlbench::workloads {

/// The message for a name that is not known: what was asked for, the nearest of `known` and all of them.
std::string unknown_name(const std::string& what, const std::string& asked, const std::vector<std::string>& known);

}  // namespace ddlbench::workloads
