#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <iostream>

#include "bench/command/main_command.h"
#include "bench/launcher/rank_guard.h"

namespace {

/// Opens standard streams that are closed, so that a file opened later does not get their number and receive what is
/// printed to them.
void open_standard_streams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) < 0) ::open("/dev/null", O_RDWR);
  }
}

bool hangup_was_ignored = false;

/// Records whether SIGHUP is ignored, before any library is initialised: MPICH's UCX installs a SIGHUP handler for
/// debugging when it is loaded, even under nohup. Asks the kernel directly, because UCX also replaces sigaction.
void note_hangup(int, char**, char**) {
  std::array<void (*)(int), 16> action{};  // large enough for the kernel's struct; the handler is its first member
  constexpr std::size_t mask_bytes = 8;
  if (::syscall(SYS_rt_sigaction, SIGHUP, nullptr, action.data(), mask_bytes) == 0) {
    hangup_was_ignored = action[0] == SIG_IGN;
  }
}
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_libraries)(int, char**, char**) = note_hangup;

/// Restores the signal handling that the parent process set up, and keeps UCX from handling signals here and in the
/// programs that this one starts. Ignores SIGXFSZ, so that a write beyond the file size limit (ulimit -f) fails with an
/// error instead of killing the process; workers, and the launchers between them and this process, inherit that.
void take_signals_back() {
  ::signal(SIGHUP, hangup_was_ignored ? SIG_IGN : SIG_DFL);
  ::signal(SIGXFSZ, SIG_IGN);
  ::setenv("UCX_DEBUG_SIGNO", "0", 0);
  ::setenv("UCX_ERROR_SIGNALS", "", 0);
  ::setenv("UCX_LOG_LEVEL", "error", 0);  // it warns about messages that a failed case did not receive
}

}  // namespace

int main(int argc, char* argv[]) {
  ::prctl(PR_SET_NAME, "ddlbench");  // ranks are started from /proc/self/exe and would be named "exe"
  take_signals_back();
  open_standard_streams();
  if (const auto code = ddlbench::bench::guard_in_ranks(argv)) return *code;
  const int code = ddlbench::bench::main_command(argc, argv, std::cout, std::cerr);
  ddlbench::bench::wake_guard();
  return code;
}
