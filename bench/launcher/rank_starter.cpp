#include "bench/launcher/rank_starter.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "bench/launcher/messages.h"
#include "comm/gloo/gloo.h"
#include "comm/process_place.h"
#include "platform/host_name.h"

namespace ddlbench::bench {
namespace {

/// A folder of this process, removed at its end.
class OwnFolder {
 public:
  OwnFolder() : path_((std::filesystem::temp_directory_path() / "ddlbench-ranks-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) {
      throw InputError(
          fmt::format("the ranks cannot be connected: the folder {} cannot be made: {}", path_, std::strerror(errno)));
    }
  }
  ~OwnFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

[[noreturn]] void become_rank(int rank, pid_t starter, char* const* words) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != starter) ::_exit(127);
  ::setenv(comm::rank_variable, fmt::format("{}", rank).c_str(), 1);
  if (rank > 0) {
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, STDIN_FILENO);
    ::close(nothing);
  }
  ::execv("/proc/self/exe", words);
  ::_exit(127);
}

}  // namespace

LaunchCommand through_rank_starter(int ranks, int threads_per_rank, const std::string& program) {
  comm::gloo::require_available();
  LaunchCommand command;
  command.program = program;
  command.arguments = {"start-ranks", std::to_string(ranks)};
  command.environment["OMP_NUM_THREADS"] = std::to_string(threads_per_rank);
  return command;
}

int start_ranks(int ranks) {
  const OwnFolder folder;
  ::setenv(comm::gloo::rendezvous_variable, folder.path().c_str(), 1);
  ::setenv(comm::ranks_variable, std::to_string(ranks).c_str(), 1);
  std::string program = own_program();
  std::string worker = "worker";
  const std::array<char*, 3> words{program.data(), worker.data(), nullptr};

  ::signal(SIGCHLD, SIG_DFL);  // if SIGCHLD is ignored, waitpid cannot report a child's end
  std::vector<pid_t> processes;
  const auto end_all = [&] {
    for (const pid_t process : processes)
      if (process > 0) ::kill(process, SIGKILL);
  };
  const pid_t own = ::getpid();
  int code = 0;
  for (int rank = 0; rank < ranks && code == 0; ++rank) {
    const pid_t process = ::fork();
    if (process == 0) become_rank(rank, own, words.data());
    if (process > 0) {
      processes.push_back(process);
      continue;
    }
    write_message(STDOUT_FILENO, 0,
                  Failure{Status::failed, fmt::format("the process of rank {} of {} cannot be started: {}; use fewer "
                                                      "ranks, or allow more processes (ulimit -u)",
                                                      rank, ranks, std::strerror(errno))});
    code = 127;
    end_all();
  }
  for (std::size_t left = processes.size(); left > 0;) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, 0);
    const auto found = std::find(processes.begin(), processes.end(), ended);
    if (found == processes.end()) continue;
    --left;
    *found = 0;
    const int own_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (WIFSIGNALED(status) && code == 0) {
      write_message(STDOUT_FILENO, static_cast<int>(found - processes.begin()),
                    Killed{ended, platform::host_name(), WTERMSIG(status)});
      end_all();
    }
    if (code == 0) code = own_code;
  }
  return code;
}

}  // namespace ddlbench::bench
