#include "bench/slurm/captured_command.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/core.h>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace ddlbench::bench {
namespace {

/// A pipe whose ends close on destruction.
class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw InputError(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  ~Pipe() {
    close(0);
    close(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close_writer() { close(1); }
  /// Appends what can be read at once. Returns false at the end.
  bool read_into(std::string& text) {
    std::array<char, 4096> part{};
    const ssize_t count = ::read(ends_[0], part.data(), part.size());
    if (count < 0 && errno == EINTR) return true;
    if (count <= 0) {
      close(0);
      return false;
    }
    text.append(part.data(), static_cast<std::size_t>(count));
    return true;
  }

 private:
  void close(std::size_t end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

pid_t start(const std::vector<std::string>& words, const Pipe& output, const Pipe& errors) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output.writer(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, errors.writer(), STDERR_FILENO);
  pid_t child = -1;
  const int error = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) {
    throw InputError(
        fmt::format("{0} is not in PATH: run this on a machine of the cluster from which jobs are submitted, "
                    "or load Slurm there (often: module load slurm)",
                    words[0]));
  }
  if (error != 0) throw InputError(fmt::format("{} cannot be started: {}", words[0], std::strerror(error)));
  return child;
}

}  // namespace

CapturedCommand run_captured(const std::vector<std::string>& words) {
  Pipe output, errors;
  const pid_t child = start(words, output, errors);
  output.close_writer();
  errors.close_writer();
  CapturedCommand ended;
  for (bool more_output = true, more_errors = true; more_output || more_errors;) {
    pollfd sources[] = {{output.reader(), POLLIN, 0}, {errors.reader(), POLLIN, 0}};
    if (::poll(sources, 2, -1) < 0 && errno != EINTR) break;
    if (sources[0].revents != 0) more_output = output.read_into(ended.output);
    if (sources[1].revents != 0) more_errors = errors.read_into(ended.errors);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  ended.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return ended;
}

std::string error_line(const CapturedCommand& ended, const std::string& program) {
  std::string line;
  std::size_t begin = 0;
  while (begin < ended.errors.size()) {
    const std::size_t end = std::min(ended.errors.find('\n', begin), ended.errors.size());
    std::string part = ended.errors.substr(begin, end - begin);
    for (const std::string& prefix : {program + ": ", std::string("error: ")}) {
      if (part.starts_with(prefix)) part.erase(0, prefix.size());
    }
    if (!part.empty()) line += (line.empty() ? "" : "; ") + part;
    begin = end + 1;
  }
  return line.empty() ? fmt::format("exit code {}", ended.exit_code) : line;
}

}  // namespace ddlbench::bench
