#include "bench/launcher/memory_limit.h"

#include "catch.h"
#include "contains.h"
#include "platform/fake_machine.h"

using namespace ddlbench;
using bench::LaunchCommand;
using bench::MemoryLimit;

TEST_CASE("a control group limits all processes of a case together") {
  const test::FakeMachine machine;
  machine.put("/proc/self/cgroup", "0::/user/scope\n");
  machine.put("/sys/fs/cgroup/user/cgroup.subtree_control", "memory\n");
  machine.put("/sys/fs/cgroup/user/cgroup.procs", "");
  const MemoryLimit limit(8 << 20, {}, machine.root());
  LaunchCommand command;
  limit.apply(4, command);
  CHECK(command.control_group_file.starts_with(machine.root() + "/sys/fs/cgroup/user/ddlbench-"));
  CHECK_FALSE(command.data_bytes.has_value());
  LaunchCommand on_several;
  MemoryLimit(8 << 20, 2, machine.root()).apply(4, on_several);
  CHECK(on_several.data_bytes == 4 << 20);  // on the other machines
  CHECK(test::contains(limit.text(), "8.00 MiB for the processes of a case together ("));
}

TEST_CASE("without control groups each process has its part of the limit") {
  const test::FakeMachine machine;
  const auto of_each = [&](int processes, std::optional<int> most_here) {
    LaunchCommand command;
    MemoryLimit(1200, most_here, machine.root()).apply(processes, command);
    CHECK(command.control_group_file.empty());
    return *command.data_bytes;
  };
  CHECK(of_each(1, {}) == 1200);
  CHECK(of_each(4, {}) == 300);
  CHECK(of_each(4, 2) == 600);
  CHECK(of_each(2, 4) == 600);
  CHECK(test::contains(MemoryLimit(1200, {}, machine.root()).text(), "in equal parts (RLIMIT_DATA"));
}
