#include "platform/processor_settings.h"

#include <algorithm>
#include <fstream>

#include "platform/control_groups.h"

namespace ddlbench::platform {
namespace {

std::optional<std::string> word_in(const std::string& file) {
  std::ifstream in(file);
  std::string word;
  return in >> word ? std::optional(word) : std::nullopt;
}

/// Returns the limit of one group; nothing if it has none.
std::optional<double> quota_of(const ControlGroup& group) {
  double quota = 0, period = 0;
  if (group.version == 2) {
    std::ifstream limit(group.folder + "/cpu.max");  // "QUOTA PERIOD" or "max PERIOD", in microseconds
    limit >> quota >> period;
  } else {
    std::ifstream(group.folder + "/cpu.cfs_quota_us") >> quota;  // −1: no limit
    std::ifstream(group.folder + "/cpu.cfs_period_us") >> period;
  }
  return quota > 0 && period > 0 ? std::optional(quota / period) : std::nullopt;
}

std::optional<double> least_quota(const std::string& root) {
  std::optional<double> least;
  for (const ControlGroup& group : control_groups("cpu", root)) {
    if (const auto quota = quota_of(group)) least = std::min(least.value_or(*quota), *quota);
  }
  return least;
}

}  // namespace

ProcessorSettings processor_settings(const std::string& root) {
  const std::string system = root + "/sys/devices/system";
  ProcessorSettings found;
  found.quota_cores = least_quota(root);
  found.scaling_governor = word_in(system + "/cpu/cpu0/cpufreq/scaling_governor");
  if (const auto active = word_in(system + "/cpu/smt/active")) found.smt_active = *active == "1";
  found.numa_nodes = word_in(system + "/node/online");
  return found;
}

}  // namespace ddlbench::platform
