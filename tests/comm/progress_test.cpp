#include "comm/progress.h"

#include <sys/resource.h>

#include <atomic>
#include <thread>

#include "catch.h"

using namespace ddlbench::comm;
using namespace std::chrono_literals;

namespace {

long switches() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw;
}

struct PollCounter final : Advanceable {
  bool advance() override {
    ++poll_count;
    return false;
  }
  std::atomic<int> poll_count{0};
};

}  // namespace

TEST_CASE("a polling helper sleeps while nothing is in progress and polls again when an operation starts") {
  Progress progress(false, Progress::EventSource::polled);
  progress.reserve_slot();
  for (int turn = 0; turn < 2; ++turn) {
    std::this_thread::sleep_for(50ms);
    const long before = switches();
    std::this_thread::sleep_for(200ms);
    CHECK(switches() - before < 200);  // a polling helper would make 800

    PollCounter operation;
    progress.add(operation);
    const auto deadline = Clock::now() + 10s;
    while (operation.poll_count < 10 && Clock::now() < deadline) std::this_thread::sleep_for(1ms);
    progress.remove(operation);
    const std::lock_guard in_no_pass(operation.mutex());
    CHECK(operation.poll_count >= 10);
  }
  progress.release_slot();
}
