#include "json/pointer.h"

#include "base/error.h"

namespace ddlbench::json {

std::string child(std::string_view parent, std::string_view token) {
  std::string pointer(parent);
  pointer += '/';
  for (const char c : token) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
  return pointer;
}

std::string child(std::string_view parent, std::size_t index) {
  return child(parent, std::to_string(index));
}

std::vector<std::string> split_pointer(std::string_view pointer) {
  std::vector<std::string> tokens;
  if (pointer.empty()) return tokens;
  if (pointer.front() != '/') throw InputError("a JSON pointer begins with \"/\"");
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      tokens.emplace_back();
    } else if (pointer[i] != '~') {
      tokens.back() += pointer[i];
    } else {
      const char escaped = i + 1 < pointer.size() ? pointer[++i] : '\0';
      if (escaped != '0' && escaped != '1')
        throw InputError("in a JSON pointer \"~\" is written \"~0\", and \"/\" within a key \"~1\"");
      tokens.back() += escaped == '0' ? '~' : '/';
    }
  }
  return tokens;
}

}  // namespace ddlbench::json
