#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ddlbench::bench {

/// Where what was timed is kept from run to run: $XDG_CACHE_HOME/ddlbench, else ~/.cache/ddlbench. Empty, so that
/// nothing is, where neither is known, and where DDLBENCH_NO_CACHE is set.
std::string cache_folder();

/// Entries by key that hold in one context (a machine, versions, …), in a file of their own below a folder. Any number
/// of processes may read and add to it at the same time. Without a folder it is empty and keeps nothing.
class CacheFile {
 public:
  CacheFile(std::string folder, const std::string& kind, std::string context);

  /// An object; empty where there is no file, and where it is no such file, or another context's: then std::cerr is
  /// told, and the next add() replaces it.
  nlohmann::json load() const;

  /// What was there of a key is replaced. Throws InputError where the folder cannot be written.
  void add(const nlohmann::json& entries) const;

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

/// Removes the files of one kind, of all contexts, and returns how many there were. Throws InputError.
std::int64_t forget_cache(const std::string& folder, const std::string& kind);

}  // namespace ddlbench::bench
