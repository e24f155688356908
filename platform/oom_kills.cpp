#include "platform/oom_kills.h"

#include <fstream>

namespace ddlbench::platform {

std::optional<std::int64_t> oom_kills(const std::string& file) {
  std::ifstream in(file);
  std::string name;
  for (std::int64_t value = 0; in >> name >> value;) {
    if (name == "oom_kill") return value;
  }
  return std::nullopt;
}

}  // namespace ddlbench::platform
