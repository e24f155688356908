#include "bench/run/rank_guard.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>

#include "bench/records/host_name.h"
#include "bench/run/launch_command.h"
#include "bench/run/messages.h"
#include "comm/process_place.h"

namespace ddlbench::bench {

int guard_rank() {
  const auto place = comm::process_place();
  if (!place) {
    std::cerr << "ddlbench rank is started by a launcher of MPI alone\n";
    return 2;
  }
  const std::string program = own_program();
  const pid_t parent = ::getpid();
  const pid_t worker = ::fork();
  if (worker == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);
    ::execl(program.c_str(), program.c_str(), "worker", nullptr);
    ::_exit(127);
  }
  if (worker < 0) {
    std::cerr << "a rank's process cannot be started; use fewer ranks, or allow more processes (ulimit -u)\n";
    return 127;
  }
  int status = 0;
  while (::waitpid(worker, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  write_message(STDOUT_FILENO, place->rank, Killed{worker, host_name(), WTERMSIG(status)});
  return 128 + WTERMSIG(status);
}

}  // namespace ddlbench::bench
