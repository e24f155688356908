#pragma once

#include <string>
#include <vector>

namespace ddlbench::bench {

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
int edit_distance(const std::string& a, const std::string& b);

/// The word of `known` nearest to `word`, or "" where none is near enough to be what was meant: at most a
/// third of the letters may differ, two always may.
std::string nearest(const std::string& word, const std::vector<std::string>& known);

/// "(did you mean "epochs"?)", or where none is near "(LEAD: a, b, c)".
std::string suggestion(const std::string& word, const std::vector<std::string>& known, const std::string& lead);

}  // namespace ddlbench::bench
