#pragma once

#include <string_view>

namespace ddlbench::json {

/// The location of a value: in the file (source 0) or in the n-th `--set` (source n). Lines and columns count from 1;
/// columns count UTF-8 characters.
struct Location {
  int source = 0;
  int line = 1;
  int column = 1;
  bool operator==(const Location&) const = default;
};

/// Returns the location just behind the last character of `text`, whose first character is at `at`.
Location end_of(std::string_view text, Location at = {});

}  // namespace ddlbench::json
