#include "catch.h"
#include "count_allocations.h"
#include "plans.h"
#include "ranks.h"
#include "runtime/queue_device.h"

using namespace ddlbench;
using namespace ddlbench::runtime;
using namespace ddlbench::test;

namespace {

/// Returns the number of allocations by all ranks, including those of transports, in the steps after the first four.
std::int64_t steady_allocations(const program::Plan& plan, const MakeDevice& make_device) {
  std::int64_t before = 0;
  std::int64_t after = 0;
  run_ranks(plan, make_device, std::chrono::seconds(10), [&](Engine& engine, comm::Communicator& world) {
    const std::vector<float> values(batch * features, 0.5F);
    const std::vector<std::int32_t> labels(batch, 1);
    const auto barrier = world.barrier();
    engine.initialize(1);
    const auto step = [&](int number) {
      engine.load(Mode::train, values.data(), labels.data());
      engine.step(Mode::train, scalars_of(number));
    };
    for (int number = 0; number < 4; ++number) step(number);
    comm::run(barrier);
    if (world.rank() == 0) before = allocations;
    comm::run(barrier);
    for (int number = 4; number < 20; ++number) step(number);
    comm::run(barrier);
    if (world.rank() == 0) after = allocations;
    comm::run(barrier);
  });
  return after - before;
}

}  // namespace

TEST_CASE("allocations are counted") {
  const std::int64_t before = allocations;
  auto value = std::make_unique<std::vector<int>>(100);
  const std::int64_t after = allocations;
  CHECK(after - before >= 2);
  CHECK(value->size() == 100);
}

TEST_CASE("a steady step allocates nothing") {
  std::vector<MakeDevice> devices{[](int) { return kernels::make_device("reference", {}); }};
  for (const bool on_stream : {false, true}) {
    for (const bool records : {false, true}) {
      const QueueOptions options{0, on_stream, records};
      devices.push_back([options](int) { return std::make_unique<QueueDevice>(options); });
    }
  }
  for (const MakeDevice& make_device : devices) {
    CHECK(steady_allocations(completed(data_parallel_plan(1)), make_device) == 0);
    CHECK(steady_allocations(completed(data_parallel_plan(2)), make_device) == 0);
    CHECK(steady_allocations(completed(pipeline_plan()), make_device) == 0);
  }
}
