#include "platform/process_tree.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "base/error.h"
#include "catch.h"
#include "platform/oom_kills.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::platform;

TEST_CASE("a process is parsed whatever its name contains") {
  const Process process = parse_process(
      "42 (a) R (b\n) T 7 42 42 0 -1 4194304 5 0 0 0 1 2 0 0 20 0 3 0 123 1000000 25 18446744073709551615 1 1");
  CHECK(process.id == 42);
  CHECK(process.parent == 7);
  CHECK(process.stopped());
  CHECK(process.name == "a) R (b\n");
  CHECK(process.start_ticks == 123);
  CHECK(process.threads == 3);
  CHECK(process.resident_bytes == 25 * ::sysconf(_SC_PAGESIZE));
  CHECK_THROWS_AS(parse_process("42 (cut) S 7 42"), ContractError);
  CHECK_THROWS_AS(parse_process("nonsense"), ContractError);
}

TEST_CASE("a process that ends while its file is read yields an empty line") {
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  std::ifstream file("/proc/" + std::to_string(child) + "/stat"), again("/proc/" + std::to_string(child) + "/stat");
  CHECK(parse_process(stat_line(file)).id == child);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(stat_line(again).empty());
}

#ifdef __SANITIZE_THREAD__
constexpr int most_threads = 2;  // its runtime has one thread in each process
#else
constexpr int most_threads = 1;
#endif

TEST_CASE("a process tree contains the process and its descendants") {
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const pid_t grandchild = ::fork();
    if (grandchild != 0) [[maybe_unused]]
      const auto told = ::write(ready[1], &grandchild, sizeof grandchild);
    for (;;) ::pause();
  }
  pid_t grandchild = 0;
  REQUIRE(::read(ready[0], &grandchild, sizeof grandchild) == sizeof grandchild);
  const std::vector<Process> tree = process_tree(child);
  CHECK(tree.size() == 2);
  CHECK(tree.front().id == child);
  CHECK(tree.front().parent == ::getpid());
  CHECK(tree.back().id == grandchild);
  CHECK(tree.back().threads >= 1);
  CHECK(tree.back().threads <= most_threads);
  CHECK(tree.back().resident_bytes > 0);
  CHECK(find_process(grandchild).value().parent == child);
  CHECK(tree_ids(child) == std::vector{child, grandchild});
  ::kill(grandchild, SIGKILL);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(process_tree(child).empty());
  CHECK(tree_ids(child).empty());
  CHECK_FALSE(find_process(child).has_value());
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE("the kernel's count of OOM kills is read if there is one") {
  test::TemporaryFolder folder;
  std::ofstream(folder / "vmstat") << "nr_free_pages 12\noom_kill 3\nlast 1\n";
  CHECK(oom_kills(folder / "vmstat") == 3);
  std::ofstream(folder / "older") << "nr_free_pages 12\n";
  CHECK_FALSE(oom_kills(folder / "older").has_value());
  CHECK_FALSE(oom_kills(folder / "none").has_value());
}
