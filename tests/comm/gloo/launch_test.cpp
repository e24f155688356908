// Behaviour that is specific to ranks in processes.

#include "comm/gloo/gloo.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <thread>

#include "../support.h"
#include "catch.h"
#include "comm/process_place.h"
#include "skip.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::comm;
using namespace ddlbench::comm::testing;

namespace {

/// Runs `body` in a process for each rank. Returns whether all of them returned true.
bool in_gloo_processes(int ranks, const std::function<bool(int rank)>& body) {
  const test::TemporaryFolder folder;
  std::cout << std::flush;
  std::fflush(nullptr);
  std::vector<pid_t> processes;
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t process = ::fork();
    REQUIRE(process >= 0);
    if (process > 0) {
      processes.push_back(process);
      continue;
    }
    ::signal(SIGABRT, SIG_DFL);  // a child must not report to Catch
    ::setenv(rank_variable, std::to_string(rank).c_str(), 1);
    ::setenv(ranks_variable, std::to_string(ranks).c_str(), 1);
    ::setenv(gloo::rendezvous_variable, folder.path().c_str(), 1);
    bool good = false;
    try {
      good = body(rank);
    } catch (const std::exception& error) {
      std::cerr << "rank " << rank << ": " << error.what() << "\n";
    }
    std::exit(good ? 0 : 1);  // ends the session
  }
  bool all = true;
  for (const pid_t process : processes) {
    int status = 0;
    ::waitpid(process, &status, 0);
    all &= WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  return all;
}

/// Limits the address space of this process so that it can start that many threads.
void allow_threads(int threads) {
  constexpr std::size_t stack_bytes = std::size_t{1} << 30;
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, stack_bytes);
  ::pthread_setattr_default_np(&attributes);
  ::pthread_attr_destroy(&attributes);
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const std::size_t used = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const rlim_t most = used + stack_bytes * static_cast<std::size_t>(threads) + stack_bytes / 2;
  const rlimit limit{most, most};
  ::setrlimit(RLIMIT_AS, &limit);
}

}  // namespace

TEST_CASE("a launch over gloo waits for several ranks that are late, as long as they answer pings") {
  if (!gloo::available()) return test::skip("this build has no gloo");
  const WorldOptions options{std::chrono::seconds(1)};
  CHECK(in_gloo_processes(3, [&](int rank) {
    gloo::launch(3, {}, [](Communicator& communicator) { run(communicator.barrier()); });
    std::this_thread::sleep_for(std::chrono::milliseconds(1700 * rank));
    bool ran = false;
    gloo::launch(3, options, [&](Communicator& communicator) {
      run(communicator.barrier());
      ran = true;
    });
    return ran;
  }));
}

TEST_CASE("a launch over gloo names a stopped rank behind one that is late") {
  if (!gloo::available()) return test::skip("this build has no gloo");
  const WorldOptions options{std::chrono::seconds(1)};
  CHECK(in_gloo_processes(3, [&](int rank) {
    std::vector<std::int64_t> processes(3);
    const std::int64_t own = ::getpid();
    gloo::launch(3, {}, [&](Communicator& communicator) {
      run(communicator.all_gather({&own, processes.data(), {1, 1, 1}, graph::DType::i64, {}, nullptr, ""}));
    });
    if (rank == 2) {
      ::raise(SIGSTOP);
      ::_exit(0);
    }
    if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(2500));
    int lost = -1;
    try {
      gloo::launch(3, options, [](Communicator&) {});
    } catch (const CommunicationError& error) {
      lost = error.rank();
    }
    if (rank == 0) ::kill(static_cast<pid_t>(processes[2]), SIGCONT);
    return rank == 1 || lost == 2;
  }));
}

TEST_CASE("a rank over gloo that cannot start the threads of its connections says so") {
  if (!gloo::available()) return test::skip("this build has no gloo");
  for (const int threads : {1, 2}) {  // gloo's own is the first
    INFO(threads << " threads can be started");
    CHECK(in_gloo_processes(2, [&](int rank) {
      if (rank == 0) allow_threads(threads);
      try {
        gloo::launch(2, {std::chrono::seconds(1)}, [](Communicator&) {});
      } catch (const CommunicationError& error) {
        return rank == 1 || (error.rank() == 0 && std::string(error.what()).ends_with("(ulimit -u)"));
      }
      return false;
    }));
  }
}
