#include "bench/records/csv.h"

#include "base/number.h"

#include <cmath>

namespace ddlbench::bench {

std::string cell(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return to_text(value);
}

std::string cell(bool value) {
  return value ? "true" : "false";
}

std::string cell(std::string_view value) {
  return std::string(value);
}

static std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ',';
    line += quoted(cells[i]);
  }
  return line + "\r\n";
}

}  // namespace ddlbench::bench
