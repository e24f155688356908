#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/join.h"

namespace ddlbench {

/// The fewest single-letter changes, insertions, deletions and swaps of neighbours between two words.
std::size_t edit_distance(const std::string& a, const std::string& b);

/// The candidate nearest to `wanted`, or "" where none is near enough to be a slip (at most a third of its letters).
std::string nearest(const std::string& wanted, const std::vector<std::string>& candidates);

/// The entry of a registry with this name; else InputError "unknown WHAT 'x' (did you mean 'y'?); there are: a, b, …".
template <class Kind>
const Kind& find_named(const std::vector<Kind>& kinds, const std::string& wanted, const std::string& what) {
  std::vector<std::string> names;
  for (const Kind& kind : kinds) {
    if (kind.name == wanted) return kind;
    names.push_back(kind.name);
  }
  std::string text = "unknown " + what + " '" + wanted + "'";
  const std::string guess = nearest(wanted, names);
  if (!guess.empty()) text += " (did you mean '" + guess + "'?)";
  throw InputError(text + "; there are: " + joined(names));
}

}  // namespace ddlbench
