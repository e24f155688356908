// Preloaded into ddlbench by tests/bench/cli/failing_calls.py: makes file-system calls fail as on a full disk. Calls on
// files below FAILING_FOLDER are counted in children of FAILING_PARENT; the call of number FAILING_CALL fails with
// ENOSPC, and with FAILING_EVER also all later ones. FAILING_COUNT names a file that gets the number of calls.

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string path_of(int descriptor) {
  std::array<char, 4096> path;
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
  return size > 0 ? std::string(path.data(), static_cast<std::size_t>(size)) : "";
}

bool is_observed() {
  static const bool observed = variable("FAILING_PARENT") == std::to_string(::getppid());
  return observed;
}

void record(int calls) {
  std::FILE* file = std::fopen(variable("FAILING_COUNT").c_str(), "w");
  if (file == nullptr) return;
  std::fprintf(file, "%d", calls);
  std::fclose(file);
}

/// Returns whether the call that is about to happen fails.
bool fails(const std::string& path) {
  static std::atomic<int> calls{0};
  if (!is_observed() || path.find(variable("FAILING_FOLDER")) == std::string::npos) return false;
  const int call = ++calls;
  if (!variable("FAILING_COUNT").empty()) record(call);
  const int chosen = std::atoi(variable("FAILING_CALL").c_str());
  if (chosen == 0 || call < chosen || (call > chosen && variable("FAILING_EVER").empty())) return false;
  errno = ENOSPC;
  return true;
}

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* bytes, size_t size) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  return fails(path_of(descriptor)) ? -1 : real(descriptor, bytes, size);
}

int fsync(int descriptor) {
  static const auto real = next<int (*)(int)>("fsync");
  return fails(path_of(descriptor)) ? -1 : real(descriptor);
}

int fdatasync(int descriptor) {
  static const auto real = next<int (*)(int)>("fdatasync");
  return fails(path_of(descriptor)) ? -1 : real(descriptor);
}

int ftruncate(int descriptor, off_t size) {
  static const auto real = next<int (*)(int, off_t)>("ftruncate");
  return fails(path_of(descriptor)) ? -1 : real(descriptor, size);
}

int rename(const char* from, const char* to) {
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  return fails(to) ? -1 : real(from, to);
}
}
