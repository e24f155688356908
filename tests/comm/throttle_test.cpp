// Links with jitter and stalls. Times have only lower limits, because the machine may be busy.

#include <atomic>

#include "comm/link_clock.h"
#include "conformance.h"

using namespace ddlbench;
using namespace ddlbench::comm;
using namespace ddlbench::comm::testing;

namespace {

using std::chrono::milliseconds;

/// A time point a number of milliseconds after the test's beginning of time.
Clock::time_point at(int time) {
  return Clock::time_point(std::chrono::hours(1)) + milliseconds(time);
}

Stall stall_of(double after_seconds, std::int64_t after_bytes, double seconds) {
  return {0, after_seconds, after_bytes, seconds};
}

}  // namespace

TEST_CASE("the time of a link stands still during its stall, and is late afterwards") {
  const LinkClock clock(stall_of(0.010, 0, 0.005), at(0));
  CHECK(clock.at(at(9)) == at(9));
  CHECK_FALSE(clock.stalled(at(9)));
  CHECK(clock.stalled(at(10)));
  CHECK(clock.at(at(12)) == at(10));
  CHECK_FALSE(clock.stalled(at(15)));
  CHECK(clock.at(at(20)) == at(15));
  CHECK(clock.when(at(9)) == at(9));
  CHECK(clock.when(at(15)) == at(20));
}

TEST_CASE("a stall without an end never lets the time of a link continue") {
  const LinkClock clock(stall_of(0, 0, 0), at(0));
  CHECK(clock.stalled(at(1'000'000)));
  CHECK(clock.at(at(1'000'000)) == at(0));
  CHECK(clock.when(at(1)) == Clock::time_point::max());
}

TEST_CASE("a stall begins when both the bytes have been sent and the time has passed") {
  LinkClock early(stall_of(0.010, 100, 0.005), at(0));
  early.count(60, at(1));
  early.count(60, at(2));
  CHECK_FALSE(early.stalled(at(12)));
  early.count(1, at(3));
  CHECK_FALSE(early.stalled(at(9)));
  CHECK(early.stalled(at(10)));
  LinkClock late(stall_of(0.010, 100, 0.005), at(0));
  late.count(100, at(20));
  late.count(1, at(30));
  CHECK(late.stalled(at(30)));
  CHECK_FALSE(late.stalled(at(35)));
}

TEST_CASE("without a stall, the time of a link is the time") {
  LinkClock clock(std::nullopt, at(0));
  clock.count(1000, at(1));
  CHECK_FALSE(clock.stalled(at(5)));
  CHECK(clock.at(at(5)) == at(5));
  CHECK(clock.when(at(5)) == at(5));
}

TEST_CASE("jitter delays each message differently, and messages keep their order") {
  constexpr int messages = 40;
  constexpr std::int64_t bytes = 1000;
  WorldOptions options{std::chrono::seconds(30)};
  options.throttle.jitter_seconds = 2e-3;
  for (const Transport& transport : startable_transports()) {
    if (!can_start(transport, 2) || !progresses_in_background(transport)) continue;
    REQUIRE_NOTHROW(transport.launch(2, options, [&](Communicator& communicator) {
      if (communicator.rank() > 1) return;
      const int other = 1 - communicator.rank();
      std::vector<Elements> in(messages, Elements(graph::DType::u8, bytes)), out = in;
      std::vector<OperationPtr> exchanges;
      for (int i = 0; i < messages; ++i) {
        fill(out[index_of(i)], communicator.rank(), i);
        exchanges.push_back(communicator.exchange({{out[index_of(i)].data(), bytes, other}},
                                                  {{in[index_of(i)].data(), bytes, other}}, ""));
      }
      for (const OperationPtr& exchange : exchanges) exchange->start();
      for (const OperationPtr& exchange : exchanges) exchange->wait();
      for (int i = 0; i < messages; ++i) {
        for (const std::int64_t k : {std::int64_t{0}, bytes - 1}) {
          expect(in[index_of(i)].at(k) == sample(other, i + k), "what was sent in this place", i);
        }
      }
      std::vector<Clock::duration> times;
      for (const OperationPtr& exchange : exchanges) {
        const Clock::time_point begun = Clock::now();
        run(exchange);
        times.push_back(Clock::now() - begun);
      }
      const Clock::duration sum = std::accumulate(times.begin(), times.end(), Clock::duration{});
      expect(sum > milliseconds(messages / 2), "40 messages are late by 1 ms on average");
      expect(*std::max_element(times.begin(), times.end()) > milliseconds(1), "some message is late by most of it");
    }));
  }
}

TEST_CASE("a link that stalls for a while passes its messages afterwards") {
  WorldOptions options{std::chrono::seconds(30)};
  options.throttle.stall = {1, 0, 1000, 0.1};
  for (const Transport& transport : startable_transports()) {
    if (!can_start(transport, 3)) continue;
    std::atomic<Clock::time_point> stalled_rank_begun;
    REQUIRE_NOTHROW(transport.launch(3, options, [&](Communicator& communicator) {
      const std::int64_t count = 3000;
      Elements input(graph::DType::f32, count), output(graph::DType::f32, count);
      fill(input, communicator.rank());
      const OperationPtr operation =
          communicator.all_reduce({input.data(), output.data(), count, graph::DType::f32, {}, {}, nullptr, ""});
      if (communicator.rank() == options.throttle.stall.rank) stalled_rank_begun = Clock::now();
      run(operation);
      expect(Clock::now() - stalled_rank_begun.load() >= milliseconds(100), "all ranks wait for the stalled one");
      for (const std::int64_t i : {std::int64_t{0}, count - 1}) {
        expect(output.at(i) == reduced({}, first_ranks(3), i), "sum", i);
      }
      run(operation);
    }));
  }
}
