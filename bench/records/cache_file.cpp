#include "bench/records/cache_file.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>

#include "bench/records/digest.h"
#include "bench/records/file.h"
#include "graph/error.h"

namespace ddlbench::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Throws what nlohmann::json throws where the text is no such file.
json entries_of(const std::string& text, std::string& context) {
  const json file = json::parse(text);
  context = file.at("context").get<std::string>();
  const json& entries = file.at("entries");
  if (file.at("digest") != hash_of(entries.dump())) throw InputError("its digest is another's");
  return entries;
}

/// Held while one process adds to a folder's files.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder) : file_(folder + "/lock", O_RDWR | O_CREAT) {
    while (::flock(file_.descriptor(), LOCK_EX) != 0) {
      if (errno != EINTR) throw InputError(folder + "/lock: cannot be locked: " + std::strerror(errno));
    }
  }

 private:
  File file_;  ///< closing it unlocks
};

void create(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError(folder + ": cannot be created: " + error.message());
}

/// Kind and path of each.
std::vector<std::pair<std::string, std::string>> cache_files(const std::string& folder) {
  std::vector<std::pair<std::string, std::string>> files;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file(none) || entry.path().extension() != ".json") continue;
    files.emplace_back(name.substr(0, name.find('-')), entry.path().string());
  }
  return files;
}

}  // namespace

std::string cache_folder() {
  if (!variable("DDLBENCH_NO_CACHE").empty()) return "";
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) return cache + "/ddlbench";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.cache/ddlbench";
  return "";
}

CacheFile::CacheFile(std::string folder, const std::string& kind, std::string context)
    : folder_(std::move(folder)),
      context_(std::move(context)),
      path_(folder_ + "/" + kind + "-" + hash_of(context_) + ".json") {}

json CacheFile::load() const {
  std::error_code none;
  if (folder_.empty() || !fs::exists(path_, none)) return json::object();
  std::string why;
  try {
    std::string context;
    json entries = entries_of(read_file(path_), context);
    if (context == context_ && entries.is_object()) return entries;
    why = "it is of another context: " + context;
  } catch (const nlohmann::json::exception& error) {
    why = error.what();
  } catch (const InputError& error) {
    why = error.what();
  }
  std::cerr << path_ + " is not used, and replaced by the next: " + why + "\n" << std::flush;
  return json::object();
}

void CacheFile::add(const json& entries) const {
  if (folder_.empty() || entries.empty()) return;
  create(folder_);
  const FolderLock lock(folder_);
  json all = load();
  all.update(entries);
  const json file{{"context", context_}, {"digest", hash_of(all.dump())}, {"entries", all}};
  write_file_atomically(path_, file.dump(1) + "\n");
}

std::vector<CacheContents> cache_contents(const std::string& folder) {
  std::map<std::string, CacheContents> by_kind;
  for (const auto& [kind, path] : cache_files(folder)) {
    CacheContents& contents = by_kind.try_emplace(kind, CacheContents{kind}).first->second;
    ++contents.files;
    try {
      std::string context;
      contents.entries += static_cast<std::int64_t>(entries_of(read_file(path), context).size());
    } catch (const std::exception&) {  // its reader will say so
    }
  }
  std::vector<CacheContents> all;
  for (auto& [kind, contents] : by_kind) all.push_back(std::move(contents));
  return all;
}

std::int64_t forget_cache(const std::string& folder, const std::string& kind) {
  const FolderLock lock(folder);
  std::int64_t forgotten = 0;
  for (const auto& [of_kind, path] : cache_files(folder)) {
    if (of_kind != kind) continue;
    std::error_code error;
    fs::remove(path, error);
    if (error) throw InputError(path + ": cannot be removed: " + error.message());
    ++forgotten;
  }
  return forgotten;
}

}  // namespace ddlbench::bench
