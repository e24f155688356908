#pragma once

#include <string>

namespace ddlbench::bench {

/// A new folder for temporary files ($TMPDIR, or /tmp), which the destructor removes with everything in it.
class ScratchFolder {
 public:
  ScratchFolder();  ///< throws InputError
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace ddlbench::bench
