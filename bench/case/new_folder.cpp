#include "bench/case/new_folder.h"

#include <fcntl.h>
#include <sys/file.h>

#include <fmt/core.h>
#include <filesystem>

#include "base/error.h"
#include "runtime/checkpoint/temporary.h"

namespace ddlbench::bench {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void throw_not_writable(const std::string& name, const std::error_code& error) {
  throw InputError(
      fmt::format("output folder {} cannot be written: {}; name another with --output", name, error.message()));
}

}  // namespace

NewFolder::NewFolder(std::string name) : name_(std::move(name)) {
  while (name_.size() > 1 && name_.back() == '/') name_.pop_back();
  std::error_code error;
  if (fs::exists(name_, error) && !(fs::is_directory(name_, error) && fs::is_empty(name_, error))) {
    throw InputError(fmt::format("output folder {}{}: name another with --output, or remove it", name_,
                                 fs::is_directory(name_, error) ? " is not empty" : " is a file"));
  }
  runtime::remove_stale_temporaries(name_);
  const std::string temporary = runtime::temporary_of(name_);
  fs::remove_all(temporary, error);
  if (!error && fs::path(name_).has_parent_path()) fs::create_directories(fs::path(name_).parent_path(), error);
  if (!error) fs::create_directory(temporary, error);
  if (error) throw_not_writable(name_, error);
  temporary_ = temporary;
  folder_.emplace(temporary_, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  ::flock(folder_->descriptor(), LOCK_EX | LOCK_NB);  // marks the folder as being written, as for a temporary file
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

void NewFolder::commit() {
  folder_->sync();
  std::error_code error;
  fs::rename(temporary_, name_, error);
  if (error) throw_not_writable(name_, error);
  temporary_.clear();
}

}  // namespace ddlbench::bench
