#pragma once

#include <string>
#include <vector>

#include "json/node.h"

namespace ddlbench::workloads {

/// The name of the input of a list of layers.
inline constexpr const char* block_input = "input";

/// Returns the names of the layers of a list. A layer without a written name is called by its kind, or by the block
/// that it repeats. Where this would give several layers of the list the same name, those without a written one are
/// numbered: "linear_1", "linear_2". Elements that are not layers get any name.
std::vector<std::string> layer_names(const json::Node& list);

}  // namespace ddlbench::workloads
