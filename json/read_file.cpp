#include "json/read_file.h"

#include <fmt/core.h>
#include <cstdint>

#include "base/error.h"

namespace ddlbench::json {

std::string read_file(const std::string& file, Pipes pipes) {
  std::string text = InputFile(file, pipes).text(std::int64_t{max_file_bytes} + 1);
  if (text.size() <= max_file_bytes) return text;
  throw InputError(fmt::format("{}: is larger than the {} bytes that a JSON file may have; split it into smaller ones",
                               file, max_file_bytes));
}

}  // namespace ddlbench::json
