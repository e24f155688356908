#include "json/read_file.h"

#include <cstdint>

#include "base/error.h"

namespace ddlbench::json {

std::string read_file(const std::string& file, Pipes pipes) {
  std::string text = InputFile(file, pipes).text(std::int64_t{max_file_bytes} + 1);
  if (text.size() <= max_file_bytes) return text;
  throw InputError(file + ": is larger than the " + std::to_string(max_file_bytes) +
                   " bytes that a JSON file may have; split it into smaller ones");
}

}  // namespace ddlbench::json
