#include "platform/proc_fields.h"

#include <fstream>
#include <sstream>

namespace ddlbench::platform {

std::optional<std::int64_t> bytes_of_field(const std::string& file, const std::string& field) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(field + ":")) continue;
    std::int64_t kilobytes = 0;
    if (std::istringstream(line.substr(field.size() + 1)) >> kilobytes) return kilobytes * 1024;
  }
  return std::nullopt;
}

}  // namespace ddlbench::platform
