#include "json/read_file.h"

namespace ddlbench::json {

std::string read_file(const std::string& file, Pipes pipes) {
  return InputFile(file, pipes).bounded_text(max_file_bytes, "split it into smaller ones");
}

}  // namespace ddlbench::json
