#include "platform/own_memory_group.h"

#include <signal.h>
#include <unistd.h>

#include <fmt/core.h>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "platform/control_groups.h"

namespace ddlbench::platform {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "ddlbench-";

bool write(const std::string& file, const std::string& text) {
  std::ofstream out(file);
  out << text << std::flush;
  return out.good();
}

/// Returns whether groups below a group of version 2 have the memory controller.
bool passes_memory_on(const std::string& folder) {
  std::ifstream controllers(folder + "/cgroup.subtree_control");
  for (std::string name; controllers >> name;) {
    if (name == "memory") return true;
  }
  return false;
}

bool set_limit(const ControlGroup& group, std::int64_t bytes) {
  const std::string text = std::to_string(bytes);
  if (group.version == 1) {
    // The limit of memory with swap must not be less than that of memory. Kernels without swap accounting lack it.
    const bool limited = write(group.folder + "/memory.limit_in_bytes", text);
    const std::string with_swap = group.folder + "/memory.memsw.limit_in_bytes";
    return limited && (!fs::exists(with_swap) || write(with_swap, text));
  }
  const std::string swap = group.folder + "/memory.swap.max";
  return write(group.folder + "/memory.max", text) && (!fs::exists(swap) || write(swap, "0")) &&
         write(group.folder + "/memory.oom.group", "1");
}

/// Removes the groups of processes that have ended.
void remove_left_over(const std::string& parent) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(prefix)) continue;
    pid_t process = 0;
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), process);
    if (process > 0 && ::kill(process, 0) != 0 && errno == ESRCH) ::rmdir(entry.path().c_str());
  }
}

std::optional<std::string> create_below(const ControlGroup& parent, std::int64_t limit_bytes) {
  if (parent.version == 2 && !passes_memory_on(parent.folder)) return std::nullopt;
  remove_left_over(parent.folder);
  const ControlGroup group{parent.version, fmt::format("{}/{}{}", parent.folder, prefix, ::getpid())};
  ::rmdir(group.folder.c_str());  // of an ended process that had the same id
  std::error_code error;
  if (!fs::create_directory(group.folder, error)) return std::nullopt;
  // Of version 2 a process may only move if its user may write this file of the common parent, too.
  const std::string common = parent.folder + "/cgroup.procs";
  const bool may_move = parent.version == 1 || ::access(common.c_str(), W_OK) == 0;
  if (may_move && set_limit(group, limit_bytes)) return group.folder;
  ::rmdir(group.folder.c_str());
  return std::nullopt;
}

}  // namespace

std::optional<OwnMemoryGroup> OwnMemoryGroup::create(std::int64_t limit_bytes, const std::string& root) {
  const std::vector<ControlGroup> groups = control_groups("memory", root);
  for (const int version : {2, 1}) {
    std::vector<ControlGroup> upwards;
    for (const ControlGroup& group : groups) {
      if (group.version == version) upwards.push_back(group);
    }
    if (upwards.empty()) continue;
    const ControlGroup& parent = upwards.size() > 1 ? upwards[1] : upwards[0];
    if (auto folder = create_below(parent, limit_bytes)) return OwnMemoryGroup(std::move(*folder));
  }
  return std::nullopt;
}

OwnMemoryGroup::~OwnMemoryGroup() {
  if (!folder_.empty()) ::rmdir(folder_.c_str());
}

OwnMemoryGroup& OwnMemoryGroup::operator=(OwnMemoryGroup&& other) noexcept {
  std::swap(folder_, other.folder_);
  return *this;
}

}  // namespace ddlbench::platform
