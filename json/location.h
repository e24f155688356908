#pragma once

#include <string_view>

namespace ddlbench::json {

/// Where a value was written: in the file (source 0), or in the n-th `--set` (source n). From 1; columns
/// count characters of UTF-8.
struct Location {
  int source = 0;
  int line = 1;
  int column = 1;
  bool operator==(const Location&) const = default;
};

/// Behind the last character of `text`, whose first stands at `at`.
Location end_of(std::string_view text, Location at = {});

}  // namespace ddlbench::json
