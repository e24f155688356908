#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace ddlbench::platform {

/// A control group (version 1 or 2) of this process's own, which limits the memory of the processes that join it. It
/// lies beside the group of this process, or below it if that is the root. The destructor removes it; its processes
/// must have ended.
class OwnMemoryGroup {
 public:
  /// Returns nothing if this user may not create such a group, as on most machines that root has not set up for it.
  /// Removes groups that processes left that were killed. `root` is prepended to /proc and /sys.
  static std::optional<OwnMemoryGroup> create(std::int64_t limit_bytes, const std::string& root = "");
  ~OwnMemoryGroup();
  OwnMemoryGroup(OwnMemoryGroup&& other) noexcept : folder_(std::exchange(other.folder_, "")) {}
  OwnMemoryGroup& operator=(OwnMemoryGroup&& other) noexcept;

  const std::string& folder() const { return folder_; }
  /// Returns the file into which a process writes "0" to join, with its later children.
  std::string members() const { return folder_ + "/cgroup.procs"; }

 private:
  explicit OwnMemoryGroup(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

}  // namespace ddlbench::platform
