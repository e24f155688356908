#include "catch.h"
#include "config_fixture.h"
#include "contains.h"

using namespace ddlbench;
using namespace ddlbench::bench;

TEST_CASE("a throttle is read, and slows nothing by default") {
  CHECK_FALSE(parse(valid_config).devices.throttle.any());
  const Throttle read = parse(valid_config, {"/devices/throttle/jitter_seconds=0.001", "/devices/throttle/slow_rank=2",
                                             "/devices/throttle/slowdown=1.5",
                                             R"(/devices/throttle/stall={"rank": 3, "after_bytes": 10, "seconds": 2})"})
                            .devices.throttle;
  CHECK(read.any());
  CHECK(read.link.jitter_seconds == 0.001);
  CHECK(read.slowdown_of(2) == 1.5);
  CHECK(read.slowdown_of(1) == 1);
  CHECK(read.link.stall.rank == 3);
  CHECK(read.link.stall.after_bytes == 10);
  CHECK(read.link.stall.after_seconds == 0);
  CHECK(read.link.stall.seconds == 2);
}

TEST_CASE("a rank of the throttle that no case has is an error that names the setting") {
  const auto errors = [](const std::vector<std::string>& overrides) { return errors_of(valid_config, overrides); };
  CHECK(contains(errors({"/devices/throttle/slow_rank=4", "/devices/throttle/slowdown=2"}),
                 "/devices/throttle/slow_rank=4: no case has a rank 4: the largest has 4 ranks, counted from 0"));
  CHECK(contains(errors({"/devices/throttle/stall/rank=7"}), "no case has a rank 7"));
  CHECK(contains(errors({"/devices/throttle/stall/rank=7"}), "/devices/throttle/stall/rank"));
  CHECK(errors({"/devices/throttle/slow_rank=3", "/devices/throttle/slowdown=[1, 2]"}).empty());
  CHECK(contains(errors({"/devices/throttle/slowdown=0.5"}), "/devices/throttle/slowdown"));
}

TEST_CASE("a stall needs a rank") {
  CHECK(contains(errors_of(valid_config, {"/devices/throttle/stall/seconds=2"}), "has no effect without a rank"));
  CHECK(errors_of(valid_config, {"/devices/throttle/stall/rank=0"}).empty());
}
