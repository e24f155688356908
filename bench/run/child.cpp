#include "bench/run/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "bench/run/messages.h"
#include "graph/error.h"

namespace ddlbench::bench {

Descriptor::~Descriptor() {
  if (value_ >= 0) ::close(value_);
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(value_, other.value_);
  return *this;
}

namespace {

int checked(int result, const std::string& what) {
  if (result < 0) throw InputError("cannot " + what + ": " + std::strerror(errno));
  return result;
}

/// Above the descriptors that the child gets, so that moving one there does not overwrite another.
Descriptor lifted(Descriptor low) {
  return Descriptor(checked(::fcntl(low.value(), F_DUPFD_CLOEXEC, worker_message_descriptor + 1), "start a process"));
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
  for (std::size_t done = 0; done < text.size();) {
    done += static_cast<std::size_t>(
        checked(static_cast<int>(::write(file.value(), text.data() + done, text.size() - done)), "pass a request"));
  }
  ::lseek(file.value(), 0, SEEK_SET);
  return file;
}

/// After fork: async-signal-safe calls alone.
[[noreturn]] void become(const char* program, char* const* arguments, pid_t parent, int input, int log, int messages) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGPIPE, SIG_DFL);
  if (::getppid() != parent) ::_exit(127);  // it died before the line above
  ::dup2(input, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::dup2(messages, worker_message_descriptor);
  ::execv(program, arguments);
  static constexpr char failed[] = "this program cannot be started\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, failed, sizeof failed - 1);
  ::_exit(127);
}

}  // namespace

Child::Child(const std::string& program, const std::vector<std::string>& arguments, const std::string& input) {
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  const Descriptor request = file_of(input);
  Pipe log = make_pipe();
  Pipe messages = make_pipe();
  const pid_t parent = ::getpid();
  pid_ = checked(::fork(), "start a process");
  if (pid_ == 0) {
    become(program.c_str(), pointers.data(), parent, request.value(), log.write.value(), messages.write.value());
  }
  ::setpgid(pid_, pid_);  // both sides do it: whichever comes first
  log_ = std::move(log.read);
  messages_ = std::move(messages.read);
}

Child::~Child() {
  if (status_) return;
  signal_group(SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
}

std::optional<int> Child::poll() {
  if (status_) return status_;
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) {
    return std::nullopt;
  }
  signal_group(SIGKILL);  // before it is waited for: until then its group's number is not given to others
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  status_ = status;
  return status_;
}

void Child::signal_group(int signal) noexcept {
  if (!status_) ::kill(-pid_, signal);
}

}  // namespace ddlbench::bench
