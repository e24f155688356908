#include "platform/processor_settings.h"

#include "catch.h"
#include "fake_machine.h"

using namespace ddlbench;
using namespace ddlbench::platform;

TEST_CASE("the smallest quota of the control groups limits the processors, in either version") {
  const test::FakeMachine machine;
  CHECK(!processor_settings(machine.root()).quota_cores);
  machine.put("/proc/self/cgroup", "5:cpu,cpuacct:/a/b\n4:memory:/a\n0::/c/d\n");
  machine.put("/sys/fs/cgroup/c/d/cpu.max", "max 100000\n");
  machine.put("/sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "-1\n");
  machine.put("/sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us", "100000\n");
  CHECK(!processor_settings(machine.root()).quota_cores);
  machine.put("/sys/fs/cgroup/c/cpu.max", "350000 100000\n");
  CHECK(processor_settings(machine.root()).quota_cores == 3.5);
  machine.put("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "50000\n");
  machine.put("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
  CHECK(processor_settings(machine.root()).quota_cores == 0.5);
}

TEST_CASE("settings that the system does not tell are empty") {
  const test::FakeMachine machine;
  const ProcessorSettings nothing = processor_settings(machine.root());
  CHECK((!nothing.scaling_governor && !nothing.smt_active && !nothing.numa_nodes));
  machine.put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  machine.put("/sys/devices/system/cpu/smt/active", "0\n");
  machine.put("/sys/devices/system/node/online", "0-1\n");
  const ProcessorSettings all = processor_settings(machine.root());
  CHECK(all.scaling_governor == "powersave");
  CHECK(all.smt_active == false);
  CHECK(all.numa_nodes == "0-1");
}
