#include "platform/memory_groups.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "platform/control_groups.h"

namespace ddlbench::platform {
namespace {

/// The file names of one cgroup version.
struct Names {
  const char* limit;
  const char* used;
  const char* of_files[2];  ///< fields of memory.stat that include the groups below
};
constexpr Names version_1{
    "/memory.limit_in_bytes", "/memory.usage_in_bytes", {"total_inactive_file", "total_active_file"}};
constexpr Names version_2{"/memory.max", "/memory.current", {"inactive_file", "active_file"}};

/// Returns the number in a file, or 0 if there is none, as for "max".
std::int64_t number_in(const std::string& file) {
  std::ifstream in(file);
  std::int64_t number = 0;
  return in >> number ? number : 0;
}

/// Returns the sum of the page-cache fields; each line is "NAME NUMBER".
std::int64_t pages_of_files(const std::string& folder, const Names& names) {
  std::ifstream in(folder + "/memory.stat");
  std::int64_t bytes = 0, value = 0;
  for (std::string name; in >> name >> value;) {
    if (name == names.of_files[0] || name == names.of_files[1]) bytes += value;
  }
  return bytes;
}

}  // namespace

std::vector<MemoryGroup> memory_groups(const std::string& root) {
  std::vector<MemoryGroup> found;
  for (const auto& [version, folder] : control_groups("memory", root)) {
    const Names& names = version == 2 ? version_2 : version_1;
    const std::int64_t limit = number_in(folder + names.limit);
    if (limit <= 0) continue;
    const std::int64_t used = number_in(folder + names.used) - pages_of_files(folder, names);
    found.push_back({folder, limit, std::max<std::int64_t>(used, 0)});
  }
  return found;
}

std::int64_t installed_memory_bytes() {
  return static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
}

std::int64_t limited_memory_bytes() {
  std::int64_t least = installed_memory_bytes();
  for (const MemoryGroup& group : memory_groups()) least = std::min(least, group.limit_bytes);
  return least;
}

}  // namespace ddlbench::platform
