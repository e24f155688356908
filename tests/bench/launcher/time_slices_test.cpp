#include "bench/launcher/time_slices.h"

#include <thread>

#include "catch.h"

using namespace ddlbench::bench;

namespace {

using std::chrono::milliseconds;

class FakeProcess final : public Suspendable {
 public:
  void suspend() override { runs = false; }
  void resume() override { runs = true; }
  bool has_ended() const override { return ended; }

  bool runs = true, ended = false;
};

struct ThreeProcesses {
  FakeProcess processes[3];
  TimeSlices slices;

  explicit ThreeProcesses(milliseconds length) : slices(length) {
    for (FakeProcess& one : processes) slices.add(one);
    slices.begin();
  }
  /// Returns which run: "1" for the second one.
  std::string running() const {
    std::string which;
    for (int i = 0; i < 3; ++i) which += processes[i].runs ? std::to_string(i) : "";
    return which;
  }
  std::string after_update() {
    slices.update();
    return running();
  }
};

}  // namespace

TEST_CASE("each process in turn runs for a time slice") {
  ThreeProcesses three(milliseconds(5));
  CHECK(three.running() == "0");
  const auto end = three.slices.slice_end();
  CHECK((three.after_update() == "0" || TimeSlices::Clock::now() >= end));
  for (const char* next : {"1", "2", "0", "1"}) {
    std::this_thread::sleep_until(three.slices.slice_end());
    CHECK(three.after_update() == next);
    CHECK(three.slices.current() == static_cast<std::size_t>(next[0] - '0'));
  }
  three.processes[2].ended = true;
  three.processes[2].runs = false;
  std::this_thread::sleep_until(three.slices.slice_end());
  CHECK(three.after_update() == "0");
}

TEST_CASE("a process that ends passes the turn on before its time slice is over") {
  ThreeProcesses three(std::chrono::hours(1));
  three.processes[0].ended = true;
  CHECK(three.after_update() == "1");
  three.processes[1].ended = true;
  CHECK(three.after_update() == "2");
  three.processes[2].ended = true;
  CHECK(three.after_update() == "2");
}

TEST_CASE("a process waits for the others until all wait or have ended") {
  ThreeProcesses three(std::chrono::hours(1));
  three.slices.wait_for_others();
  CHECK(three.after_update() == "1");
  three.slices.wait_for_others();
  CHECK(three.after_update() == "2");
  SECTION("the last one waits, too") {
    three.slices.wait_for_others();
    CHECK(three.after_update() == "2");
  }
  SECTION("the last one ends") {
    three.processes[2].ended = true;
    CHECK(three.after_update() == "0");
  }
  three.processes[three.slices.current()].ended = true;
  CHECK(three.after_update().size() == 1);
}

TEST_CASE("after the end of time slices all processes run") {
  ThreeProcesses three(milliseconds(0));
  three.slices.end();
  CHECK(three.running() == "012");
  CHECK(three.after_update() == "012");
}
