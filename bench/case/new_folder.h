#pragma once

#include <optional>
#include <string>

#include "bench/records/file.h"

namespace ddlbench::bench {

/// A folder that takes its place as a whole when it is committed: until then it is NAME.tmp-PROCESS beside it, and
/// without a commit it goes with all that is in it. What killed processes left of the same `name` is removed
/// (runtime/checkpoint/temporary.h). Throws InputError where `name` is there and not an empty folder, or the system
/// refuses.
class NewFolder {
 public:
  explicit NewFolder(std::string name);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  const std::string& path() const { return temporary_; }  ///< in which to write until the commit
  void commit();

 private:
  std::string name_;
  std::string temporary_;
  std::optional<File> folder_;
};

}  // namespace ddlbench::bench
