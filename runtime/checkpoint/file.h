#pragma once

#include <cstdint>
#include <string>

#include "base/input_file.h"

namespace ddlbench::runtime {

/// What a replaced file must survive: loss of power, or only the end of the process.
enum class Durability : std::uint8_t { power, process };

/// A file that replaces `path` atomically when it is committed. With Outlives::power the replacement survives a loss of
/// power. Until the commit, data go to temporary_of(path) beside it; without a commit, that file is removed and `path`
/// stays as it was. Temporaries of `path` left by killed processes are removed. Throws InputError with `path` and the
/// system's error text.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path, Durability durability = Durability::power);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* bytes, std::size_t count);
  void overwrite(std::int64_t at, const void* bytes, std::size_t count);  ///< must lie within what was written before
  void sync();    ///< returns when all data are on disk, if they must survive a loss of power
  void commit();  ///< call after sync()

 private:
  std::string path_;
  std::string temporary_;
  Durability durability_;
  int descriptor_ = -1;
  std::size_t unsynced_ = 0;
};

}  // namespace ddlbench::runtime
