#pragma once

#include <string>
#include <vector>

namespace ddlbench::json {

/// Returns nearest(word, known), but "" for a word that is too long to be a typing error.
std::string nearest_known(const std::string& word, const std::vector<std::string>& known);

/// Returns "(did you mean "epochs"?)", or "(LEAD: a, b, c)" if no known word is close.
std::string suggestion(const std::string& word, const std::vector<std::string>& known, const std::string& lead);

}  // namespace ddlbench::json
