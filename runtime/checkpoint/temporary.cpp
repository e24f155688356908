#include "runtime/checkpoint/temporary.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

namespace ddlbench::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view mark = ".tmp-";

/// Returns the process in the name of a temporary of `of`, or 0 if the name is not one.
pid_t process_of(std::string_view name, std::string_view of) {
  if (!name.starts_with(of) || !name.substr(of.size()).starts_with(mark)) return 0;
  const std::string_view digits = name.substr(of.size() + mark.size());
  pid_t process = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), process);
  const bool whole = error == std::errc() && end == digits.data() + digits.size() && digits.front() != '0';
  return whole && process > 0 ? process : 0;
}

bool is_alive(pid_t process) {
  return ::kill(process, 0) == 0 || errno != ESRCH;
}

/// Returns true for a file or a folder that is not locked.
bool is_unlocked(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return false;
  const bool folder = S_ISDIR(status.st_mode);
  if (!folder && !S_ISREG(status.st_mode)) return false;
  const int flags = folder ? O_RDONLY | O_DIRECTORY : O_RDWR;  // NFS locks only files that are open for writing
  const int descriptor = ::open(path.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool free = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  ::close(descriptor);
  return free;
}

/// Returns possible temporaries of any file in a folder, as they were when this process first asked.
std::vector<fs::path> temporaries_in(const fs::path& folder) {
  static std::mutex mutex;
  static std::map<fs::path, std::vector<fs::path>> of_folders;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = of_folders.try_emplace(folder);
  if (!is_new) return found->second;
  std::error_code ignored;
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    if (entry->path().filename().string().find(mark) != std::string::npos) found->second.push_back(entry->path());
  }
  return found->second;
}

}  // namespace

std::string temporary_of(const std::string& path) {
  return path + std::string(mark) + std::to_string(::getpid());
}

int open_temporary(const std::string& temporary) {
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int descriptor = ::open(temporary.c_str(), flags, 0644);
  if (descriptor < 0 && errno == EEXIST && ::unlink(temporary.c_str()) == 0)
    descriptor = ::open(temporary.c_str(), flags, 0644);
  if (descriptor >= 0) ::flock(descriptor, LOCK_EX | LOCK_NB);  // without a lock if the file system does not support it
  return descriptor;
}

void remove_stale_temporaries(const std::string& path) {
  std::error_code ignored;
  const fs::path whole = fs::absolute(path, ignored);
  const std::string name = whole.filename().string();
  for (const fs::path& temporary : temporaries_in(whole.parent_path())) {
    const pid_t process = process_of(temporary.filename().string(), name);
    if (process != 0 && !is_alive(process) && is_unlocked(temporary.string())) fs::remove_all(temporary, ignored);
  }
}

}  // namespace ddlbench::runtime
