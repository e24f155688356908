#pragma once

#include <string>
#include <vector>

namespace ddlbench::json {

/// Returns "(did you mean "epochs"?)", or "(LEAD: a, b, c)" with at most 50 of the words if no known word is close.
std::string suggestion(const std::string& word, const std::vector<std::string>& known, const std::string& lead);

}  // namespace ddlbench::json
