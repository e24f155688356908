#pragma once

#include <optional>
#include <string>

#include "bench/records/file.h"

namespace ddlbench::bench {

/// The file FOLDER/lock, which names the process and the machine that write a folder's records. Only one process can
/// create it (O_EXCL, also on NFS). It is locked (flock) for the lifetime of this object and then removed. A run that
/// is killed leaves it behind.
class FolderClaim {
 public:
  /// Throws InputError if another process has claimed the folder (see why_claimed), or if it cannot be written.
  explicit FolderClaim(const std::string& folder);
  ~FolderClaim();
  FolderClaim(const FolderClaim&) = delete;
  FolderClaim& operator=(const FolderClaim&) = delete;

 private:
  std::string path_;
  std::optional<File> file_;
};

/// Returns nothing if no process has claimed the folder. Otherwise returns a message that says which process has,
/// whether it still runs as far as this machine can tell, and what to do.
std::optional<std::string> why_claimed(const std::string& folder);

}  // namespace ddlbench::bench
