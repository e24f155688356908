#include <thread>

#include "catch.h"
#include "plans.h"
#include "ranks.h"
#include "runtime/queue_device.h"

using namespace ddlbench;
using namespace ddlbench::test;

// QueueDevice throws if its clock is aligned while a stream has work.
TEST_CASE("the clock of a device is aligned again after a second, when no step is running") {
  run_ranks(
      completed(data_parallel_plan(2)),
      [](int) {
        return std::make_unique<QueueDevice>(QueueOptions{0, true, true});
      },
      test_timeout,
      [](runtime::Engine& engine, comm::Communicator& world) {
        engine.initialize(1);
        for (int step = 0; step < 20; ++step) {
          if (step == 18) std::this_thread::sleep_for(std::chrono::milliseconds(1100));
          load_batch(engine, runtime::Mode::train, step, world.rank());
          engine.step(runtime::Mode::train, scalars_of(step));
        }
      });
}
