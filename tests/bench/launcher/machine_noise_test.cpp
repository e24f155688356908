#include "bench/launcher/machine_noise.h"

#include <chrono>
#include <thread>

#include "catch.h"
#include "platform/bound_cores.h"
#include "processor_time.h"
#include "skip.h"

using namespace ddlbench;
using namespace ddlbench::bench;

TEST_CASE("the probes take some time, but not much") {
  const SpeedProbe probe;
  CHECK(probe.compute_seconds() > 1e-5);
  CHECK(probe.memory_seconds() > 1e-5);
  CHECK(probe.slowest_core_seconds() > 1e-5);
}

TEST_CASE("the core probe does not bind its caller") {
  const std::vector<int> before = platform::allowed_cores();
  SpeedProbe().slowest_core_seconds();
  CHECK(platform::allowed_cores() == before);
}

TEST_CASE("a core is slow if it takes clearly longer than at its best") {
  CHECK(has_slow_core(1.2e-4, 1e-4));
  CHECK(!has_slow_core(1.1e-4, 1e-4));
  CHECK(!has_slow_core(1e-4, 1e-4));
}

TEST_CASE("the run's own processor time is not others'") {
  const auto begin = std::chrono::steady_clock::now();
  const test::ProcessorTime own_time;
  const NeighbourMeter meter(true), unknown(false);
  const volatile double sink = [] {
    double value = 1;
    for (int i = 0; i < 100'000'000; ++i) value = value * 0.999999 + 1e-6;
    return value;
  }();
  static_cast<void>(sink);
  VisitRecord counted, not_counted;
  meter.note(counted);
  unknown.note(not_counted);
  CHECK_FALSE(not_counted.others_cpu_ratio);
  if (!counted.others_cpu_ratio) test::skip("this kernel does not count processor time");
  const double own = own_time.seconds();
  const double all = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() *
                     static_cast<double>(std::thread::hardware_concurrency());
  CHECK(*counted.others_cpu_ratio >= 0);
  CHECK(*counted.others_cpu_ratio < 1 - own / all + 0.1);  // ticks are coarse
  CHECK(counted.disturbed == (*counted.others_cpu_ratio > 0.05 || *counted.steal_ratio > 0.05));
}
