#include "platform/available_memory.h"

#include "catch.h"
#include "fake_machine.h"
#include "platform/memory_groups.h"

using namespace ddlbench;
using namespace ddlbench::platform;

TEST_CASE("available memory is the minimum over the control groups and the machine", "[F4]") {
  const test::FakeMachine machine;
  machine.put("/proc/meminfo", "MemTotal:       4000 kB\nMemFree:         100 kB\nMemAvailable:   2000 kB\n");
  CHECK(available_memory(machine.root()).machine.bytes == 2000 * 1024);
  CHECK(available_memory(machine.root()).machine.what == "MemAvailable of /proc/meminfo");

  machine.put("/proc/self/cgroup", "0::/a/b\n");
  machine.put("/sys/fs/cgroup/a/b/memory.max", "max\n");
  machine.put("/sys/fs/cgroup/a/memory.max", "1000000\n");
  machine.put("/sys/fs/cgroup/a/memory.current", "700000\n");
  machine.put("/sys/fs/cgroup/a/memory.stat", "anon 400000\nfile 300000\ninactive_file 200000\nactive_file 50000\n");
  REQUIRE(memory_groups(machine.root()).size() == 1);
  CHECK(memory_groups(machine.root())[0].limit_bytes == 1000000);
  CHECK(memory_groups(machine.root())[0].used_bytes == 450000);
  CHECK(available_memory(machine.root()).machine.bytes == 550000);
  CHECK(available_memory(machine.root()).machine.what == "control group " + machine.root() + "/sys/fs/cgroup/a");

  machine.put("/sys/fs/cgroup/a/memory.current", "2000000\n");
  CHECK(available_memory(machine.root()).machine.bytes == 0);
}

TEST_CASE("control groups of version 1 count, and groups that are not visible are skipped up to the root", "[F4]") {
  const test::FakeMachine machine;
  machine.put("/proc/self/cgroup", "5:cpu:/x\n4:memory:/not/shown/here\n1:name=systemd:/\n0::/\n");
  machine.put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "5000\n");
  machine.put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "3000\n");
  machine.put("/sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 400\ntotal_active_file 100\n");
  REQUIRE(memory_groups(machine.root()).size() == 1);
  CHECK(available_memory(machine.root()).machine.bytes == 2500);
}

TEST_CASE("this process has memory available, and without system files nothing limits it", "[F4]") {
  CHECK(available_memory().machine.bytes > 1 << 20);
  const test::FakeMachine silent;
  CHECK(why_not_enough(0, std::int64_t{1} << 60, available_memory(silent.root())).empty());
}

TEST_CASE("insufficient memory is reported with both sizes and the limit, that of the process first", "[F4]") {
  const AvailableMemory available{{1000, "RLIMIT_AS, ulimit -v"}, {2'000'000, "MemAvailable of /proc/meminfo"}};
  CHECK(why_not_enough(1000, 2'000'000, available).empty());
  CHECK(why_not_enough(1001, 3'000'000, available) ==
        "not enough memory: needs 1001 B (1001 bytes), 1000 B (1000 bytes) available (RLIMIT_AS, ulimit -v)");
  CHECK(why_not_enough(0, 2'000'001, available) ==
        "not enough memory: needs 1.91 MiB (2000001 bytes), 1.91 MiB (2000000 bytes) available (MemAvailable of "
        "/proc/meminfo)");
}
