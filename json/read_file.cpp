#include "json/read_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "graph/error.h"

namespace ddlbench::json {

std::string read_file(const std::string& file) {
  constexpr std::size_t piece = std::size_t{1} << 16;
  std::ifstream in(file, std::ios::binary);
  std::string text;
  while (in && text.size() <= most_file_bytes) {
    const std::size_t before = text.size();
    text.resize(before + std::min(piece, most_file_bytes + 1 - before));
    in.read(text.data() + before, static_cast<std::streamsize>(text.size() - before));
    text.resize(before + static_cast<std::size_t>(in.gcount()));
  }
  if (!in.is_open() || in.bad()) throw InputError(file + ": cannot be read: " + std::strerror(errno));
  if (text.size() > most_file_bytes) {
    throw InputError(file + ": is larger than the " + std::to_string(most_file_bytes) +
                     " bytes that a file in JSON may have; split what it describes");
  }
  return text;
}

}  // namespace ddlbench::json
