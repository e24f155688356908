#include "bench/launcher/job_processes.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "catch.h"
#include "platform/host_name.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

/// A shell as the launcher, two more as guards, and their child processes as ranks.
struct Job {
  Job() : child({"/bin/sh", {"-c", "(sleep 100 & wait) & (sleep 100 & wait) & wait"}, {}}, "") {
    while (ranks.size() < 2) {
      ranks.clear();
      for (const platform::Process& process : child.processes()) {
        if (process.name == "sleep") ranks.push_back(process);
      }
    }
  }
  void end(pid_t process) const {
    ::kill(process, SIGKILL);
    while (const auto found = platform::find_process(process)) {
      if (found->ended()) return;
    }
  }
  Child child;
  std::vector<platform::Process> ranks;
};

}  // namespace

TEST_CASE("a job's processes are described by their kinds", "[F7]") {
  const Job job;
  JobProcesses processes(job.child);
  for (int rank = 0; rank < 2; ++rank) {
    processes.add_rank(rank, job.ranks[static_cast<std::size_t>(rank)].id, platform::host_name());
  }
  const auto number = [](pid_t process) { return "process " + std::to_string(process); };
  CHECK(processes.describe(job.ranks[1].id) == "rank 1 (" + number(job.ranks[1].id) + ")");
  CHECK(processes.describe(job.ranks[1].parent) == "the guard of rank 1 (" + number(job.ranks[1].parent) + ")");
  CHECK(processes.describe(job.child.id()) == number(job.child.id()) + " (sh)");
  CHECK_FALSE(processes.stopped().has_value());
  ::kill(job.ranks[0].parent, SIGSTOP);
  while (!processes.stopped()) std::this_thread::yield();
  CHECK(processes.stopped() == job.ranks[0].parent);
}

TEST_CASE("the process that ended first is known, even if all have ended before the check", "[F7]") {
  const Job job;
  JobProcesses processes(job.child);
  for (int rank = 0; rank < 2; ++rank) {
    processes.add_rank(rank, job.ranks[static_cast<std::size_t>(rank)].id, platform::host_name());
  }
  processes.look();
  CHECK_FALSE(processes.first_ended().has_value());
  job.end(job.ranks[1].parent);
  job.end(job.ranks[1].id);
  job.end(job.ranks[0].id);
  processes.look();
  CHECK(processes.first_ended() == job.ranks[1].parent);
  CHECK_FALSE(processes.is_rank(job.ranks[1].parent));
  processes.add_rank(2, 4711, "another-machine");
  CHECK_FALSE(processes.first_ended().has_value());  // processes there may have ended earlier
}
