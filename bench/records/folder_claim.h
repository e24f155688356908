#pragma once

#include <optional>
#include <string>

#include "bench/records/file.h"

namespace ddlbench::bench {

/// The file FOLDER/lock, which says which process of which machine is writing a folder's records: made by one process
/// alone (O_EXCL, on NFS too), held locked (flock), and gone with this object. Of a run that was killed it stays.
class FolderClaim {
 public:
  /// Throws InputError where the folder is another's already (why_claimed), or cannot be written.
  explicit FolderClaim(const std::string& folder);
  ~FolderClaim();
  FolderClaim(const FolderClaim&) = delete;
  FolderClaim& operator=(const FolderClaim&) = delete;

 private:
  std::string path_;
  std::optional<File> file_;
};

/// Nothing where the folder is nobody's. Else who has it, whether that process still runs as far as this machine can
/// tell, and the remedy.
std::optional<std::string> why_claimed(const std::string& folder);

}  // namespace ddlbench::bench
