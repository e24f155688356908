#include "bench/records/markdown.h"

namespace ddlbench::bench {

std::string markdown_cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += (c == '|' ? "\\" : "") + std::string(1, c);
  return escaped;
}

}  // namespace ddlbench::bench
