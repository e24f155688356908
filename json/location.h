#pragma once

namespace ddlbench::json {

/// Where a value was written: in the file (source 0), or in the n-th `--set` (source n). From 1; columns
/// count characters of UTF-8.
struct Location {
  int source = 0;
  int line = 1;
  int column = 1;
  bool operator==(const Location&) const = default;
};

}  // namespace ddlbench::json
