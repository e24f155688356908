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

/// A file that is opened later must not take the number of a closed standard stream, or what is printed
/// there would be written into it.
void open_standard_streams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) < 0) ::open("/dev/null", O_RDWR);
  }
}

bool hangup_was_ignored = false;

/// Runs before any library's own start: MPICH's UCX takes SIGHUP for its debugging as it is loaded, even where
/// nohup has it ignored. Asks the kernel itself, for UCX stands in for sigaction, too.
void note_hangup(int, char**, char**) {
  std::array<void (*)(int), 16> action{};  // as much as the kernel writes, the handler first
  constexpr std::size_t mask_bytes = 8;
  if (::syscall(SYS_rt_sigaction, SIGHUP, nullptr, action.data(), mask_bytes) == 0) {
    hangup_was_ignored = action[0] == SIG_IGN;
  }
}
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_libraries)(int, char**, char**) = note_hangup;

/// As whoever started this program left them; and the programs that it starts die of the others undisturbed. A file
/// that reaches the limit of sizes (ulimit -f) fails its write with a reason, here, in workers and in the launchers
/// between them, which inherit that.
void take_signals_back() {
  ::signal(SIGHUP, hangup_was_ignored ? SIG_IGN : SIG_DFL);
  ::signal(SIGXFSZ, SIG_IGN);
  ::setenv("UCX_DEBUG_SIGNO", "0", 0);
  ::setenv("UCX_ERROR_SIGNALS", "", 0);
  ::setenv("UCX_LOG_LEVEL", "error", 0);  // it warns of what a case that failed has left unreceived
}

}  // namespace

int main(int argc, char* argv[]) {
  ::prctl(PR_SET_NAME, "ddlbench");  // ranks are started from /proc/self/exe, and would be called so
  take_signals_back();
  open_standard_streams();
  if (const auto code = ddlbench::bench::guard_in_ranks(argv)) return *code;
  const int code = ddlbench::bench::main_command(argc, argv, std::cout, std::cerr);
  ddlbench::bench::wake_guard();
  return code;
}
