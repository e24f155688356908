#pragma once

#include <fstream>
#include <string>

namespace ddlbench::test {

/// Whether this process has a file loaded whose path has `name` in it.
inline bool is_mapped(const std::string& name) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(name) != std::string::npos) return true;
  }
  return false;
}

}  // namespace ddlbench::test
