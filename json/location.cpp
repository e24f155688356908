#include "json/location.h"

namespace ddlbench::json {

Location end_of(std::string_view text, Location at) {
  for (const char c : text) {
    if (c == '\n') {
      ++at.line;
      at.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      ++at.column;
    }
  }
  return at;
}

}  // namespace ddlbench::json
