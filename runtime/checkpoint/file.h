#pragma once

#include <cstdint>
#include <string>

#include "base/input_file.h"

namespace ddlbench::runtime {

/// What a file that is replaced outlives.
enum class Outlives : std::uint8_t { power, process };

/// A file that takes the place of `path` as a whole when it is committed, also after a loss of power unless it only is
/// to outlive the process: until then it is temporary_of(path) beside it, and without a commit it goes and leaves
/// `path` as it was. What killed processes left of the same `path` is removed. Throws InputError naming `path` and the
/// system's reason.
class NewFile {
 public:
  explicit NewFile(std::string path, Outlives outlives = Outlives::power);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(const void* bytes, std::size_t count);
  void overwrite(std::int64_t at, const void* bytes, std::size_t count);  ///< what was written before
  void sync();    ///< returns when all is on the disk, if it is to outlive a loss of power
  void commit();  ///< what was synced

 private:
  std::string path_;
  std::string temporary_;
  Outlives outlives_;
  int descriptor_ = -1;
  std::size_t unsynced_ = 0;
};

}  // namespace ddlbench::runtime
