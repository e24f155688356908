#include "platform/available_memory.h"

#include <malloc.h>
#include <sys/resource.h>

#include <fmt/core.h>
#include <algorithm>
#include <limits>

#include "base/units.h"
#include "platform/memory_groups.h"
#include "platform/proc_fields.h"

namespace ddlbench::platform {
namespace {

void lower(MemoryBound& bound, std::int64_t bytes, const std::string& what) {
  if (bytes < bound.bytes) bound = {std::max<std::int64_t>(bytes, 0), what};
}

void lower_to_limit(MemoryBound& bound, decltype(RLIMIT_AS) resource, const std::string& used, const char* what) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  lower(bound, static_cast<std::int64_t>(limit.rlim_cur) - bytes_of_field("/proc/self/status", used).value_or(0), what);
}

std::string why_not_enough(std::int64_t bytes, const MemoryBound& bound) {
  if (bytes <= bound.bytes) return "";
  return fmt::format("not enough memory: needs {}, {} available ({})", format_exact_bytes(bytes),
                     format_exact_bytes(bound.bytes), bound.what);
}

}  // namespace

AvailableMemory available_memory(const std::string& root) {
  constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max();
  AvailableMemory available{{unbounded, "no limit"}, {unbounded, "no limit"}};
  lower_to_limit(available.process, RLIMIT_AS, "VmSize", "RLIMIT_AS, ulimit -v");
  lower_to_limit(available.process, RLIMIT_DATA, "VmData", "RLIMIT_DATA: ulimit -d or --memory-limit");
  for (const MemoryGroup& group : memory_groups(root))
    lower(available.machine, group.limit_bytes - group.used_bytes, "control group " + group.folder);
  if (const auto bytes = bytes_of_field(root + "/proc/meminfo", "MemAvailable"))
    lower(available.machine, *bytes, "MemAvailable of /proc/meminfo");
  return available;
}

AvailableMemory probe_memory() {
  ::malloc_trim(0);  // returns free heap memory to the system, so that it counts as available
  return available_memory();
}

std::string why_not_enough(std::int64_t process_bytes, std::int64_t machine_bytes, const AvailableMemory& available) {
  const std::string of_process = why_not_enough(process_bytes, available.process);
  return of_process.empty() ? why_not_enough(machine_bytes, available.machine) : of_process;
}

}  // namespace ddlbench::platform
