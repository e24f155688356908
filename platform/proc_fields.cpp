#include "platform/proc_fields.h"

#include <fstream>
#include <sstream>

namespace ddlbench::platform {
namespace {

std::string without_blanks(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

}  // namespace

std::optional<std::string> text_of_field(const std::string& file, const std::string& field) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':');
    if (colon != std::string::npos && without_blanks(line.substr(0, colon)) == field)
      return without_blanks(line.substr(colon + 1));
  }
  return std::nullopt;
}

std::optional<std::int64_t> bytes_of_field(const std::string& file, const std::string& field) {
  std::int64_t kilobytes = 0;
  if (std::istringstream(text_of_field(file, field).value_or("")) >> kilobytes) return kilobytes * 1024;
  return std::nullopt;
}

}  // namespace ddlbench::platform
