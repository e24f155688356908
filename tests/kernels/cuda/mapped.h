#pragma once

#include <fstream>
#include <string>

namespace ddlbench::test {

/// Returns whether this process has loaded a file whose path contains `name`.
inline bool is_mapped(const std::string& name) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(name) != std::string::npos) return true;
  }
  return false;
}

}  // namespace ddlbench::test
