#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/records/file.h"

namespace ddlbench::bench {

/// The file FOLDER/lock, which names the process and the machine that write a folder's records. Only one process can
/// create it (O_EXCL, also on NFS). It is locked (flock) for the lifetime of this object and then removed. A run that
/// is killed leaves it behind.
class FolderClaim {
 public:
  /// What to do with the claim of a process that has ended without removing it.
  enum class LeftOver : std::uint8_t { rejected, replaced };

  /// Throws InputError if another process has claimed the folder (see why_claimed), or if it cannot be written. A claim
  /// is known to be left over if its process was on this machine and has ended, or if it belongs to an earlier run of
  /// the same Slurm job, which was requeued.
  explicit FolderClaim(const std::string& folder, LeftOver left_over = LeftOver::rejected);
  ~FolderClaim();
  FolderClaim(const FolderClaim&) = delete;
  FolderClaim& operator=(const FolderClaim&) = delete;

  /// Returns whether the file is still there, and still this one.
  bool is_held() const { return file_->is_at(path_); }

 private:
  void create(const std::string& folder);
  bool create_complete(const std::string& folder);
  void lock_and_write();
  bool replace_left_over();
  void write_claim();

  std::string path_;
  std::optional<File> file_;
};

/// Returns nothing if no process has claimed the folder. Otherwise returns a message that says which process has,
/// whether it still runs as far as this machine can tell, and what to do: for a new run, or for one that continues in
/// the folder (`replaced`).
std::optional<std::string> why_claimed(const std::string& folder,
                                       FolderClaim::LeftOver left_over = FolderClaim::LeftOver::rejected);

}  // namespace ddlbench::bench
