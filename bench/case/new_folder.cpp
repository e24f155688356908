#include "bench/case/new_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "bench/records/file.h"
#include "graph/error.h"

namespace ddlbench::bench {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const std::string& name, const std::error_code& error) {
  throw InputError("output folder " + name + " cannot be written: " + error.message() + "; name another with --output");
}

}  // namespace

NewFolder::NewFolder(std::string name) : name_(std::move(name)) {
  while (name_.size() > 1 && name_.back() == '/') name_.pop_back();
  std::error_code error;
  if (fs::exists(name_, error) && !(fs::is_directory(name_, error) && fs::is_empty(name_, error))) {
    throw InputError("output folder " + name_ + (fs::is_directory(name_, error) ? " is not empty" : " is a file") +
                     ": name another with --output, or remove it");
  }
  temporary_ = name_ + ".tmp-" + std::to_string(::getpid());
  fs::create_directories(temporary_, error);
  if (error) refuse(name_, error);
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

void NewFolder::commit() {
  File(temporary_, O_RDONLY | O_DIRECTORY).sync();
  std::error_code error;
  fs::rename(temporary_, name_, error);
  if (error) refuse(name_, error);
  temporary_.clear();
}

}  // namespace ddlbench::bench
