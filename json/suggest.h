#pragma once

#include <string>
#include <vector>

namespace ddlbench::json {

/// nearest, but "" for a word that is too long to be a slip.
std::string nearest_known(const std::string& word, const std::vector<std::string>& known);

/// "(did you mean "epochs"?)", or where none is near "(LEAD: a, b, c)".
std::string suggestion(const std::string& word, const std::vector<std::string>& known, const std::string& lead);

}  // namespace ddlbench::json
