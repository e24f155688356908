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
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "base/error.h"
#include "bench/launcher/messages.h"
#include "comm/gloo/gloo.h"
#include "comm/process_place.h"
#include "platform/host_name.h"

namespace ddlbench::bench {
namespace {

constexpr std::string_view folder_prefix = "ddlbench-ranks-";
/// Much longer than ranks take to connect, after which they do not need the folder.
constexpr std::chrono::hours folder_lifetime{1};
/// A rank that fails reports that itself, and the supervisor then ends the case after one second. This longer time is
/// for ranks that end without a report.
constexpr std::chrono::seconds time_after_failure{3};
constexpr std::chrono::milliseconds wait_interval{20};

/// Removes the folders of processes that were killed before their ranks had connected.
void remove_old_folders() {
  namespace fs = std::filesystem;
  std::error_code end_of_list, ignored;
  for (fs::directory_iterator it(fs::temp_directory_path(), end_of_list); it != fs::directory_iterator();
       it.increment(end_of_list)) {
    if (!it->path().filename().string().starts_with(folder_prefix)) continue;
    const fs::file_time_type changed = fs::last_write_time(it->path(), ignored);
    if (ignored || fs::file_time_type::clock::now() - changed < folder_lifetime) continue;
    fs::remove_all(it->path(), ignored);
  }
}

/// A folder of this process, removed at its end.
class OwnFolder {
 public:
  OwnFolder() : path_((std::filesystem::temp_directory_path() / folder_prefix).string() + "XXXXXX") {
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
  ::dprintf(STDERR_FILENO, "rank %d: %s cannot be started: %s\n", rank, words[0], std::strerror(errno));
  ::_exit(127);
}

/// The processes of the ranks, children of this one.
class RankProcesses {
 public:
  /// Starts `words`, an execv array, as the next rank. Returns false, with errno, if that is impossible.
  bool start(char* const* words) {
    const pid_t starter = ::getpid();
    const pid_t process = ::fork();
    if (process == 0) become_rank(static_cast<int>(processes_.size()), starter, words);
    if (process < 0) return false;
    processes_.push_back(process);
    return true;
  }

  void end_all() {
    ending_ = true;
    for (const pid_t process : processes_)
      if (process > 0) ::kill(process, SIGKILL);
  }

  /// Waits until all have ended. Returns the exit code of the first that failed, or 0. If a signal killed a rank, or if
  /// others run on after the failure of one, reports that rank and ends the others.
  int wait() {
    for (std::size_t left = processes_.size(); left > 0;) {
      const bool limited = failed_ && !ending_;
      int status = 0;
      const pid_t ended = ::waitpid(-1, &status, limited ? WNOHANG : 0);
      const auto found = std::find(processes_.begin(), processes_.end(), ended);
      if (ended > 0 && found != processes_.end()) {
        --left;
        *found = 0;
        note_end(static_cast<int>(found - processes_.begin()), ended, status);
      } else if (limited && Clock::now() >= failed_->at + time_after_failure) {
        report_failed();
        end_all();
      } else if (limited) {
        std::this_thread::sleep_for(wait_interval);
      }
    }
    return failed_ ? failed_->code : 0;
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Failed {
    int rank = 0;
    pid_t process = 0;
    int code = 0;
    Clock::time_point at;
  };

  void note_end(int rank, pid_t process, int status) {
    const bool killed = WIFSIGNALED(status);
    const int code = killed ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (code != 0 && !failed_) failed_ = {rank, process, code, Clock::now()};
    if (!killed || ending_) return;
    write_message(STDOUT_FILENO, rank, Killed{process, platform::host_name(), WTERMSIG(status)});
    end_all();
  }

  /// The status is one that yields to what ranks have reported.
  void report_failed() const {
    const std::string reason = fmt::format(
        "rank {} (process {} on {}) ended with code {}, and other ranks still ran {} s later; the log of the case has "
        "what it printed",
        failed_->rank, failed_->process, platform::host_name(), failed_->code, time_after_failure.count());
    write_message(STDOUT_FILENO, failed_->rank, Failure{Status::lost_rank, reason, failed_->rank});
  }

  std::vector<pid_t> processes_;  ///< by rank; 0 once it has ended
  bool ending_ = false;
  std::optional<Failed> failed_;  ///< the first
};

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
  remove_old_folders();
  const OwnFolder folder;
  ::setenv(comm::gloo::rendezvous_variable, folder.path().c_str(), 1);
  ::setenv(comm::ranks_variable, std::to_string(ranks).c_str(), 1);
  std::string program = own_program();
  std::string worker = "worker";
  const std::array<char*, 3> words{program.data(), worker.data(), nullptr};

  ::signal(SIGCHLD, SIG_DFL);  // if SIGCHLD is ignored, waitpid cannot report a child's end
  RankProcesses processes;
  for (int rank = 0; rank < ranks; ++rank) {
    if (processes.start(words.data())) continue;
    write_message(STDOUT_FILENO, 0,
                  Failure{Status::failed, fmt::format("the process of rank {} of {} cannot be started: {}; use fewer "
                                                      "ranks, or allow more processes (ulimit -u)",
                                                      rank, ranks, std::strerror(errno))});
    processes.end_all();
    processes.wait();
    return 127;
  }
  return processes.wait();
}

}  // namespace ddlbench::bench
