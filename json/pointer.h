#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ddlbench::json {

/// JSON pointers, RFC 6901. "" is the whole document.

/// Returns `parent` extended by one token, which is escaped: child("/a", "b/c") is "/a/b~1c".
std::string child(std::string_view parent, std::string_view token);
std::string child(std::string_view parent, std::size_t index);

/// Returns the unescaped tokens. Throws InputError if the pointer is malformed.
std::vector<std::string> split_pointer(std::string_view pointer);

}  // namespace ddlbench::json
