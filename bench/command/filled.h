#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ddlbench::bench {

/// The template with every occurrence of each mark replaced by its text.
std::string filled(std::string text, const std::vector<std::pair<std::string, std::string>>& marks);

}  // namespace ddlbench::bench
