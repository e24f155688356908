#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ddlbench::bench {

/// Where what was timed is kept from run to run: $XDG_CACHE_HOME/ddlbench, else ~/.cache/ddlbench. Empty, so that
/// nothing is, where neither is known, and where DDLBENCH_NO_CACHE is set.
std::string cache_folder();

/// How long a process waits for another that adds to the same folder.
inline constexpr std::chrono::milliseconds lock_patience{1000};

/// Entries by key that hold in one context (a machine, versions, …), in a file of their own below a folder. Any number
/// of processes may read and add to it at the same time. Without a folder it is empty and keeps nothing. Nothing that
/// is wrong with the folder or its files is an exception: std::cerr is told, and what is not kept is timed anew.
class CacheFile {
 public:
  CacheFile(std::string folder, const std::string& kind, std::string context);

  /// An object; empty where there is no file, and where it is no such file (at most 16 MiB), or another context's: then
  /// std::cerr is told, and the next add() replaces it.
  nlohmann::json load() const;

  /// Whether they are kept: what was there of a key is replaced. Not where the folder's file `lock` is held longer than
  /// `patience`, or something cannot be written: then std::cerr is told which.
  bool add(const nlohmann::json& entries, std::chrono::milliseconds patience = lock_patience) const;

 private:
  std::string folder_, context_, path_;
};

/// The files of one kind, all contexts together.
struct CacheContents {
  std::string kind;
  std::int64_t files = 0;
  std::int64_t entries = 0;  ///< of files that can be read
};
std::vector<CacheContents> cache_contents(const std::string& folder);

/// Removes the files of one kind, of all contexts, and returns how many there were. Throws InputError, also where the
/// folder is locked longer than lock_patience.
std::int64_t forget_cache(const std::string& folder, const std::string& kind);

}  // namespace ddlbench::bench
