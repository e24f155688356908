#include "bench/command/filled.h"

namespace ddlbench::bench {

std::string filled(std::string text, const std::vector<std::pair<std::string, std::string>>& marks) {
  for (const auto& [mark, content] : marks) {
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + content.size())) {
      text.replace(at, mark.size(), content);
    }
  }
  return text;
}

}  // namespace ddlbench::bench
