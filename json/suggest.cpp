#include "json/suggest.h"

#include <fmt/core.h>

#include "base/join.h"
#include "base/names.h"

namespace ddlbench::json {

std::string nearest_known(const std::string& word, const std::vector<std::string>& known) {
  constexpr std::size_t longest = 64;
  return word.size() > longest ? "" : nearest(word, known);
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known, const std::string& lead) {
  const std::string meant = nearest_known(word, known);
  if (!meant.empty()) return "(did you mean \"" + meant + "\"?)";
  return fmt::format("({}: {})", lead, joined(known));
}

}  // namespace ddlbench::json
