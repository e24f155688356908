#include "platform/control_groups.h"

#include <fstream>
#include <sstream>

namespace ddlbench::platform {
namespace {

bool contains(const std::string& list, const std::string& wanted) {
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) {
    if (name == wanted) return true;
  }
  return false;
}

}  // namespace

std::vector<ControlGroup> control_groups(const std::string& controller, const std::string& root) {
  std::vector<ControlGroup> found;
  std::ifstream groups(root + "/proc/self/cgroup");  // lines NUMBER:CONTROLLERS:PATH; version 2 names no controllers
  for (std::string line; std::getline(groups, line);) {
    const auto controllers = line.find(':');
    const auto path = line.find(':', controllers + 1);
    if (path == std::string::npos) continue;
    const std::string names = line.substr(controllers + 1, path - controllers - 1);
    if (!names.empty() && !contains(names, controller)) continue;
    const std::string mounted = root + "/sys/fs/cgroup" + (names.empty() ? "" : "/" + controller);
    for (std::string group = line.substr(path + 1);; group.erase(group.rfind('/'))) {
      found.push_back({names.empty() ? 2 : 1, mounted + group});
      if (group.rfind('/') == std::string::npos) break;
    }
  }
  return found;
}

}  // namespace ddlbench::platform
