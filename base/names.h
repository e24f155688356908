#pragma once

#include <fmt/core.h>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/join.h"

namespace ddlbench {

/// Returns the least number of single-letter changes, insertions, deletions and swaps of neighbouring letters that turn
/// one word into the other.
std::size_t edit_distance(const std::string& a, const std::string& b);

/// Returns the candidate closest to `wanted`, at most a third of its letters apart (at least one); else the first that
/// continues `wanted` ("rate" → "rate_scale"); else "". Also "" if `wanted` is too long to be a typing error: more than
/// 64 letters.
std::string nearest(const std::string& wanted, const std::vector<std::string>& candidates);

/// Returns the registry entry called `wanted`. Throws InputError "unknown WHAT 'x' (did you mean 'y'?); available: a,
/// b, …" if there is none.
template <class Kind>
const Kind& find_named(const std::vector<Kind>& kinds, const std::string& wanted, const std::string& what) {
  std::vector<std::string> names;
  for (const Kind& kind : kinds) {
    if (kind.name == wanted) return kind;
    names.push_back(kind.name);
  }
  std::string text = fmt::format("unknown {} '{}'", what, wanted);
  const std::string guess = nearest(wanted, names);
  if (!guess.empty()) text += " (did you mean '" + guess + "'?)";
  throw InputError(fmt::format("{}; available: {}", text, joined(names)));
}

}  // namespace ddlbench
