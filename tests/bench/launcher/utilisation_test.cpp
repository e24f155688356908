#include "bench/launcher/utilisation.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.h"
#include "temporary_folder.h"

using namespace ddlbench::bench;

TEST_CASE("a machine's counters are read from /proc") {
  ddlbench::test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "net");
  std::ofstream(folder / "stat") << "cpu  100 10 20 500 7 1 2 3 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n";
  std::ofstream(folder / "net/dev")
      << "Inter-|   Receive                                                |  Transmit\n"
         " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls "
         "carrier compressed\n"
         "    lo:    6586      59    0    0    0     0          0         0     6587      59    0    0    0     0      "
         " 0 "
         "0\n"
         "  eth0:100 1 0 0 0 0 0 0 200 2 0 0 0 0 0 0\n"
         "wlan0: 10 1 0 0 0 0 0 0 20 2 0 0 0 0 0 0\n";
  const MachineCounters counters = read_counters(folder.path());
  CHECK(counters.user == 110);
  CHECK(counters.system == 23);
  CHECK(counters.idle == 500);
  CHECK(counters.iowait == 7);
  CHECK(counters.total == 643);
  CHECK(counters.received_bytes == 110);
  CHECK(counters.sent_bytes == 220);
  CHECK(counters.loopback_bytes == 6587);
  CHECK(read_counters(folder / "none").total == 0);
}

TEST_CASE("a sample has a process's resources and the rates since the previous sample") {
  UtilisationSampler sampler("001", ::getpid());
  const auto first = sampler.sample_if_due();
  REQUIRE(first.has_value());
  CHECK(first->case_id == "001");
  CHECK(first->processes >= 1);
  CHECK(first->threads >= 1);
  CHECK(first->resident_bytes > 0);
  CHECK_FALSE(first->cpu_user_ratio.has_value());
  CHECK_FALSE(first->loopback_bytes.has_value());
  CHECK_FALSE(sampler.sample_if_due().has_value());
  CHECK(sampler.sample().loopback_bytes.has_value());
}
