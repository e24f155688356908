#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ddlbench::bench {

/// Returns the template with each mark replaced by its text, at every occurrence.
std::string filled(std::string text, const std::vector<std::pair<std::string, std::string>>& marks);

}  // namespace ddlbench::bench
