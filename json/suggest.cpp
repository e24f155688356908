#include "json/suggest.h"

#include <fmt/core.h>

#include "base/join.h"
#include "base/names.h"

namespace ddlbench::json {

std::string suggestion(const std::string& word, const std::vector<std::string>& known, const std::string& lead) {
  const std::string meant = nearest(word, known);
  if (!meant.empty()) return "(did you mean \"" + meant + "\"?)";
  constexpr std::size_t most = 50;
  if (known.size() <= most) return fmt::format("({}: {})", lead, joined(known));
  const std::vector<std::string> first(known.begin(), known.begin() + most);
  return fmt::format("({}: {} and {} more)", lead, joined(first), known.size() - most);
}

}  // namespace ddlbench::json
