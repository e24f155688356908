#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ddlbench::json {

/// JSON pointers, RFC 6901. "" is the whole document.

/// `parent` followed by one token, which is escaped: child("/a", "b/c") is "/a/b~1c".
std::string child(std::string_view parent, std::string_view token);
std::string child(std::string_view parent, std::size_t index);

/// The tokens, unescaped. Throws InputError saying what is wrong with the pointer.
std::vector<std::string> split_pointer(std::string_view pointer);

}  // namespace ddlbench::json
