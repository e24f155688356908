#include "bench/launcher/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/core.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <thread>
#include <utility>

#include "base/error.h"
#include "platform/write_all.h"

namespace ddlbench::bench {

Descriptor::~Descriptor() {
  if (value_ >= 0) ::close(value_);
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(value_, other.value_);
  return *this;
}

namespace {

/// Of two processes the kernel's OOM killer ends the one with the higher value first, so that this process survives its
/// cases.
constexpr const char* killed_first = "500";

int checked(int result, const std::string& what) {
  if (result < 0) throw InputError(fmt::format("cannot {}: {}", what, std::strerror(errno)));
  return result;
}

/// Moves a descriptor above those that the child gets, so that dup2 in the child does not overwrite another one.
Descriptor lifted(Descriptor low) {
  return Descriptor(checked(::fcntl(low.value(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1), "start a process"));
}

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Pipe make_pipe() {
  int ends[2];
  checked(::pipe2(ends, O_CLOEXEC), "make a pipe");
  Descriptor read(ends[0]);
  Descriptor write(ends[1]);
  Pipe pipe{lifted(std::move(read)), lifted(std::move(write))};
  checked(::fcntl(pipe.read.value(), F_SETFL, O_NONBLOCK), "make a pipe");
  return pipe;
}

Descriptor file_of(const std::string& text) {
  Descriptor file = lifted(Descriptor(checked(::memfd_create("request", MFD_CLOEXEC), "pass a case its request")));
  checked(platform::write_all(file.value(), text) ? 0 : -1,
          fmt::format("pass a case its request of {} bytes, to which the file size limit also applies (ulimit -f)",
                      text.size()));
  ::lseek(file.value(), 0, SEEK_SET);
  return file;
}

/// Returns the array that execve takes. `texts` must outlive it.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Returns the limit of data for a process that may use `bytes`: a lower one that it has already stays.
rlimit at_most(std::int64_t bytes) {
  rlimit limit{};
  ::getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = std::min(limit.rlim_cur, static_cast<rlim_t>(bytes));
  return limit;
}

/// What a child needs before it becomes another program, prepared before fork.
struct Start {
  std::vector<char*> arguments, environment;
  pid_t parent;
  const char* control_group_file;  ///< null: none
  std::optional<rlimit> data;
};

/// Writes into a file that exists, and leaves errors to the caller.
bool write_into(const char* file, const char* text) {
  const int descriptor = ::open(file, O_WRONLY | O_CLOEXEC);
  const bool written = descriptor >= 0 && ::write(descriptor, text, std::strlen(text)) > 0;
  if (descriptor >= 0) ::close(descriptor);
  return written;
}

[[noreturn]] void fail(const char* why) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, why, std::strlen(why));
  ::_exit(127);
}

/// Runs in the child after fork: only async-signal-safe calls are allowed.
[[noreturn]] void become(const Start& start, int input, int output, int log) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGPIPE, SIG_DFL);
  if (::getppid() != start.parent) ::_exit(127);  // the parent died before prctl
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  write_into("/proc/self/oom_score_adj", killed_first);
  if (start.control_group_file != nullptr && !write_into(start.control_group_file, "0"))
    fail("this process cannot join the control group that limits its memory\n");
  if (start.data && ::setrlimit(RLIMIT_DATA, &*start.data) != 0) fail("the memory of this process cannot be limited\n");
  ::execve(start.arguments[0], start.arguments.data(), start.environment.data());
  fail("this program cannot be started\n");
}

int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::set<pid_t> children_of(pid_t parent) {
  std::set<pid_t> children;
  for (const platform::Process& process : platform::process_tree(parent)) {
    if (process.parent == parent) children.insert(process.id);
  }
  return children;
}

/// The objects of Child that exist.
struct LiveChildren {
  std::set<pid_t> running = {};
  int count = 0;
  bool was_reaper = false;  ///< this process, before the first one

  void enter() {
    if (count++ > 0) return;
    int reaper = 0;
    ::prctl(PR_GET_CHILD_SUBREAPER, &reaper);
    was_reaper = reaper != 0;
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
  void leave() {
    if (--count == 0 && !was_reaper) ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  }
};

LiveChildren& live_children() {
  static LiveChildren all;
  return all;
}

}  // namespace

Child::Child(const LaunchCommand& command, const std::string& input) : others_(children_of(::getpid())) {
  std::vector<std::string> words{command.program};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  std::vector<std::string> variables = environment_of(command.environment);
  Start start{pointers_to(words), pointers_to(variables), ::getpid(), nullptr, std::nullopt};
  if (!command.control_group_file.empty()) start.control_group_file = command.control_group_file.c_str();
  if (command.data_bytes) start.data = at_most(*command.data_bytes);

  const Descriptor request = file_of(input);
  Pipe output = make_pipe();
  Pipe log = make_pipe();
  Pipe until_exec = make_pipe();  // which closes the child's end
  live_children().enter();
  pid_ = ::fork();
  if (pid_ == 0) become(start, request.value(), output.write.value(), log.write.value());
  if (pid_ < 0) live_children().leave();
  checked(pid_, "start a process");
  live_children().running.insert(pid_);
  ::setpgid(pid_, pid_);  // both parent and child call it, so that it holds whichever runs first
  until_exec.write = Descriptor();
  pollfd closed{until_exec.read.value(), POLLIN, 0};
  while (::poll(&closed, 1, -1) < 0 && errno == EINTR) {
  }
  output_ = std::move(output.read);
  log_ = std::move(log.read);
}

Child::~Child() {
  if (!status_) {
    signal(SIGKILL);
    wait_for(pid_);
    live_children().running.erase(pid_);
    status_ = 0;
    kill_the_rest();
  }
  live_children().leave();
}

std::optional<int> Child::poll() {
  if (status_) return status_;
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) {
    return std::nullopt;
  }
  ::kill(-pid_, SIGKILL);  // before the process is reaped: until then, its group id is not reused
  status_ = wait_for(pid_);
  live_children().running.erase(pid_);
  suspended_.clear();
  kill_the_rest();
  return status_;
}

std::vector<platform::Process> Child::processes() const {
  std::vector<platform::Process> tree = status_ ? std::vector<platform::Process>{} : platform::process_tree(pid_);
  for (const pid_t child : children_of(::getpid())) {
    if (others_.contains(child) || live_children().running.contains(child)) continue;
    const std::vector<platform::Process> orphans = platform::process_tree(child);
    tree.insert(tree.end(), orphans.begin(), orphans.end());
  }
  return tree;
}

void Child::suspend() {
  if (status_) return;
  static constexpr std::chrono::milliseconds until_scheduled{1000}, until_unblocked{20};
  const auto begin = std::chrono::steady_clock::now();
  std::set<pid_t> seen = suspended_;
  for (bool all_stopped = false;;) {
    const auto elapsed = std::chrono::steady_clock::now() - begin;
    const std::vector<pid_t> processes = platform::tree_ids(pid_);
    if (processes.empty())
      throw InputError(
          "a process cannot be stopped with its children: /proc cannot be read (too many open files? ulimit -n)");
    bool any_new = false;
    for (const pid_t process : processes) {
      if (!seen.insert(process).second) continue;
      any_new = true;
      const auto found = platform::find_process(process);
      if (!found || found->stopped()) continue;  // stopped by somebody else, who also continues it
      suspended_.insert(process);
      ::kill(process, SIGSTOP);
    }
    if (all_stopped && !any_new) return;  // only processes that had stopped before this list cannot have added to it
    all_stopped = std::all_of(processes.begin(), processes.end(), [elapsed](pid_t id) {
      const auto process = platform::find_process(id);
      if (!process || process->stopped() || process->ended()) return true;
      return elapsed > (process->blocked() ? until_unblocked : until_scheduled);
    });
    if (!all_stopped) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

void Child::resume() noexcept {
  for (const pid_t process : suspended_) ::kill(process, SIGCONT);
  suspended_.clear();
}

void Child::signal(int number) noexcept {
  try {
    for (const platform::Process& process : processes()) {
      ::kill(process.id, number);
      if (process.stopped()) ::kill(process.id, SIGCONT);
    }
  } catch (const std::exception&) {  // no memory for the list: signal at least its own group
    if (!status_) ::kill(-pid_, number);
  }
}

/// Kills the remaining descendants. Children of a process that dies become children of this one, so this takes several
/// rounds.
void Child::kill_the_rest() noexcept {
  try {
    for (std::vector<platform::Process> rest = processes(); !rest.empty(); rest = processes()) {
      for (const platform::Process& process : rest) ::kill(process.id, SIGKILL);
      for (const platform::Process& process : rest) {
        if (process.parent == ::getpid()) wait_for(process.id);
      }
    }
  } catch (const std::exception&) {  // then init reaps them
  }
}

}  // namespace ddlbench::bench
