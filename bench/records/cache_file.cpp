#include "bench/records/cache_file.h"

#include <fcntl.h>
#include <sys/file.h>

#include <fmt/core.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>
#include <thread>

#include "base/error.h"
#include "base/hash.h"
#include "base/input_file.h"
#include "base/units.h"
#include "bench/records/file.h"
#include "json/parse.h"
#include "runtime/checkpoint/file.h"

namespace ddlbench::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Far more than all measurements of one machine take.
constexpr std::int64_t max_bytes = std::int64_t{16} << 20;

std::string bounded_text(const std::string& path) {
  const InputFile file(path);
  if (file.bytes() > max_bytes) {
    throw InputError(
        fmt::format("it has {}, and at most {} are read", format_bytes(file.bytes()), format_bytes(max_bytes)));
  }
  return file.text(max_bytes);
}

/// Returns the entries of a cache file and sets `context`. Throws InputError or nlohmann::json::exception if the file
/// is not a valid one.
Json entries_of(const std::string& path, std::string& context) {
  const Json file = json::parse_whole(bounded_text(path));
  context = file.at("context").get<std::string>();
  const Json& entries = file.at("entries");
  if (file.at("digest") != hexadecimal(fnv1a(entries.dump()))) throw InputError("its digest does not match");
  return entries;
}

/// A lock that a process holds while it adds to the files of a folder.
class FolderLock {
 public:
  /// Throws InputError if another process holds the lock for longer than `timeout`.
  FolderLock(const std::string& folder, std::chrono::milliseconds timeout)
      : file_(folder + "/lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (::flock(file_.descriptor(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      if (errno != EWOULDBLOCK)
        throw InputError(fmt::format("{}/lock: cannot be locked: {}", folder, std::strerror(errno)));
      if (std::chrono::steady_clock::now() >= deadline)
        throw InputError(fmt::format("{}/lock is held by another process, and was not free within {}", folder,
                                     format_seconds(std::chrono::duration<double>(timeout).count())));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

 private:
  File file_;  ///< closing it unlocks
};

void create(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError(fmt::format("{}: cannot be created: {}", folder, error.message()));
}

/// Returns the kind and the path of each cache file.
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
      path_(fmt::format("{}/{}-{}.json", folder_, kind, hexadecimal(fnv1a(context_)))) {}

Json CacheFile::load() const {
  std::error_code none;
  if (folder_.empty() || !fs::exists(path_, none)) return Json::object();
  std::string why;
  try {
    std::string context;
    Json entries = entries_of(path_, context);
    if (context == context_ && entries.is_object()) return entries;
    why = "it is from another context: " + context;
  } catch (const nlohmann::json::exception&) {
    why = "it lacks the members of a cache file";
  } catch (const InputError& error) {
    why = error.what();
  }
  std::cerr << fmt::format("{} is not used, and will be replaced: {}\n", path_, why) << std::flush;
  return Json::object();
}

bool CacheFile::add(const Json& entries, std::chrono::milliseconds timeout) const {
  if (folder_.empty() || entries.empty()) return false;
  std::string why;
  try {
    create(folder_);
    const FolderLock lock(folder_, timeout);
    Json all = load();
    all.update(entries);
    const Json content{{"context", context_}, {"digest", hexadecimal(fnv1a(all.dump()))}, {"entries", all}};
    const std::string text = content.dump(1) + "\n";
    runtime::AtomicFile file(path_);  // replaces whatever is there; writing to a pipe could block for ever
    file.write(text.data(), text.size());
    file.sync();
    file.commit();
    return true;
  } catch (const nlohmann::json::exception& error) {
    why = error.what();
  } catch (const InputError& error) {
    why = error.what();
  }
  std::cerr << fmt::format("{} cannot be extended, so the new times are not kept: {}\n", path_, why) << std::flush;
  return false;
}

std::vector<CacheContents> cache_contents(const std::string& folder) {
  std::map<std::string, CacheContents> by_kind;
  for (const auto& [kind, path] : cache_files(folder)) {
    CacheContents& contents = by_kind.try_emplace(kind, CacheContents{kind}).first->second;
    ++contents.files;
    try {
      std::string context;
      contents.entries += static_cast<std::int64_t>(entries_of(path, context).size());
    } catch (const std::exception&) {  // load() reports it
    }
  }
  std::vector<CacheContents> all;
  for (auto& [kind, contents] : by_kind) all.push_back(std::move(contents));
  return all;
}

std::int64_t clear_cache(const std::string& folder, const std::string& kind) {
  const FolderLock lock(folder, lock_timeout);
  std::int64_t forgotten = 0;
  for (const auto& [of_kind, path] : cache_files(folder)) {
    if (of_kind != kind) continue;
    std::error_code error;
    fs::remove(path, error);
    if (error) throw InputError(fmt::format("{}: cannot be removed: {}", path, error.message()));
    ++forgotten;
  }
  return forgotten;
}

}  // namespace ddlbench::bench
