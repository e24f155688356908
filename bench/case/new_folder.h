#pragma once

#include <optional>
#include <string>

#include "bench/records/file.h"

namespace ddlbench::bench {

/// An output folder that appears under its name only once it is committed. Until then it is NAME.tmp-PROCESS beside it;
/// without a commit it is removed with everything in it. Removes what killed processes left of the same `name`
/// (runtime/checkpoint/temporary.h). Throws InputError if `name` exists and is not an empty folder, or if the system
/// fails to make the folder.
class NewFolder {
 public:
  explicit NewFolder(std::string name);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  const std::string& path() const { return temporary_; }  ///< the folder to write to until the commit
  void commit();

 private:
  std::string name_;
  std::string temporary_;
  std::optional<File> folder_;
};

}  // namespace ddlbench::bench
