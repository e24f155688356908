#include "comm/answers.h"

#include "catch.h"

using namespace ddlbench::comm;
using namespace std::chrono_literals;

TEST_CASE("a rank is silent from its first unanswered ping, whenever it was last heard") {
  UnansweredPings pings(3);
  const UnansweredPings::Clock::time_point begin = UnansweredPings::Clock::now();
  CHECK(pings.silence(2, begin + 1h) == 0s);
  pings.pinged(1, begin);
  pings.pinged(1, begin + 2s);
  pings.pinged(2, begin + 2s);
  CHECK(pings.silence(1, begin + 3s) == 3s);
  CHECK(pings.silence(2, begin + 3s) == 1s);
  pings.heard(1);
  CHECK(pings.silence(1, begin + 4s) == 0s);
  CHECK(pings.silence(2, begin + 4s) == 2s);
  pings.forget();
  CHECK(pings.silence(2, begin + 5s) == 0s);
}
