#include "platform/own_memory_group.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "catch.h"
#include "fake_machine.h"
#include "skip.h"

using ddlbench::platform::OwnMemoryGroup;
using ddlbench::test::FakeMachine;

namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& file) {
  std::string text;
  std::getline(std::ifstream(file), text);
  return text;
}

/// Gives a machine a group of version 2 whose parent lets groups limit memory.
void delegate(const FakeMachine& machine) {
  machine.put("/proc/self/cgroup", "0::/user/scope\n");
  machine.put("/sys/fs/cgroup/user/cgroup.subtree_control", "cpu memory pids\n");
  machine.put("/sys/fs/cgroup/user/cgroup.procs", "");
  machine.put("/sys/fs/cgroup/user/scope/cgroup.procs", "");
}

}  // namespace

TEST_CASE("a group of version 2 lies beside that of the process, and is killed as a whole") {
  const FakeMachine machine;
  delegate(machine);
  auto group = OwnMemoryGroup::create(1 << 20, machine.root());
  REQUIRE(group.has_value());
  CHECK(group->folder() == machine.root() + "/sys/fs/cgroup/user/ddlbench-" + std::to_string(::getpid()));
  CHECK(text_of(group->folder() + "/memory.max") == "1048576");
  CHECK(text_of(group->folder() + "/memory.oom.group") == "1");
  CHECK_FALSE(fs::exists(group->folder() + "/memory.swap.max"));  // this kernel has no swap
}

TEST_CASE("there is no group if the parent does not pass the memory controller on") {
  const FakeMachine machine;
  delegate(machine);
  machine.put("/sys/fs/cgroup/user/cgroup.subtree_control", "cpu pids\n");
  CHECK_FALSE(OwnMemoryGroup::create(1 << 20, machine.root()).has_value());
  const FakeMachine without_groups;
  CHECK_FALSE(OwnMemoryGroup::create(1 << 20, without_groups.root()).has_value());
}

TEST_CASE("groups that killed processes left are removed, those of living ones are kept") {
  const FakeMachine machine;
  delegate(machine);
  const std::string parent = machine.root() + "/sys/fs/cgroup/user/ddlbench-";
  const pid_t ended = ::fork();
  if (ended == 0) ::_exit(0);
  ::waitpid(ended, nullptr, 0);
  fs::create_directory(parent + std::to_string(ended));
  fs::create_directory(parent + std::to_string(::getppid()));
  fs::create_directory(parent + "of-somebody");
  const auto group = OwnMemoryGroup::create(1 << 20, machine.root());
  CHECK_FALSE(fs::exists(parent + std::to_string(ended)));
  CHECK(fs::exists(parent + std::to_string(::getppid())));
  CHECK(fs::exists(parent + "of-somebody"));
}

TEST_CASE("the kernel kills a process of the group that uses more memory, and the group is removed") {
  constexpr std::size_t limit = 32 << 20;
  auto group = OwnMemoryGroup::create(limit);
  if (!group) return ddlbench::test::skip("this user may not create control groups");
  const auto end_of = [&](std::size_t bytes) {
    const pid_t child = ::fork();
    if (child == 0) {
      std::ofstream(group->members()) << "0" << std::flush;
      const std::vector<char> memory(bytes, 'x');
      ::_exit(memory[bytes / 2] == 'x' ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  };
  CHECK(end_of(limit / 4) == 0);
  const int killed = end_of(4 * limit);
  CHECK(WIFSIGNALED(killed));
  CHECK(WTERMSIG(killed) == SIGKILL);
  const std::string folder = group->folder();
  group.reset();
  CHECK_FALSE(fs::exists(folder));
}
