#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ddlbench::bench {

/// Returns the folder that keeps measurements from run to run: $XDG_CACHE_HOME/ddlbench, otherwise ~/.cache/ddlbench.
/// Empty, so that nothing is kept, if neither is known or DDLBENCH_NO_CACHE is set.
std::string cache_folder();

/// How long a process waits for another one that adds to the same folder.
inline constexpr std::chrono::milliseconds lock_timeout{1000};

/// A file with entries by key that hold in one context (a machine, versions, …), below a folder. Any number of
/// processes may read it and add to it at the same time. Without a folder it stays empty. Problems with the folder or
/// its files are not exceptions: they are reported on std::cerr, and what is not kept is measured again.
class CacheFile {
 public:
  CacheFile(std::string folder, const std::string& kind, std::string context);

  /// Returns the entries as an object. It is empty if there is no file, if the file is invalid or larger than 16 MiB,
  /// or if it belongs to another context. In all cases but the first this is reported on std::cerr, and the next add()
  /// replaces the file.
  nlohmann::json load() const;

  /// Adds entries, replacing those with the same keys. Returns whether they were stored. They are not if the folder's
  /// file `lock` is held for longer than `timeout` or something cannot be written, which is reported on std::cerr.
  bool add(const nlohmann::json& entries, std::chrono::milliseconds timeout = lock_timeout) const;

 private:
  std::string folder_, context_, path_;
};

/// The files of one kind, for all contexts together.
struct CacheContents {
  std::string kind;
  std::int64_t files = 0;
  std::int64_t entries = 0;  ///< in files that can be read
};
std::vector<CacheContents> cache_contents(const std::string& folder);

/// Removes the files of one kind for all contexts. Returns how many there were. Throws InputError if one cannot be
/// removed, or if the folder is locked for longer than lock_timeout.
std::int64_t clear_cache(const std::string& folder, const std::string& kind);

}  // namespace ddlbench::bench
