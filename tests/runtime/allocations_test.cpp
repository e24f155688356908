#include "catch.h"
#include "count_allocations.h"
#include "plans.h"
#include "ranks.h"

using namespace ddlbench;
using namespace ddlbench::runtime;
using namespace ddlbench::test;

namespace {

/// Allocations of all ranks, and of whatever moves their bytes, in steps after the first three.
std::int64_t steady_allocations(const program::Plan& plan) {
  std::int64_t before = 0;
  std::int64_t after = 0;
  run_ranks(plan, [&](Engine& engine, comm::Communicator& world) {
    const std::vector<float> values(batch * features, 0.5F);
    const std::vector<std::int32_t> labels(batch, 1);
    const auto barrier = world.barrier();
    engine.initialize(1);
    const auto step = [&](int number) {
      engine.load(Mode::train, values.data(), labels.data());
      engine.step(Mode::train, scalars_of(number));
    };
    for (int number = 0; number < 3; ++number) step(number);
    comm::run(barrier);
    if (world.rank() == 0) before = allocations;
    comm::run(barrier);
    for (int number = 3; number < 20; ++number) step(number);
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
  CHECK(steady_allocations(completed(data_parallel_plan(1))) == 0);
  CHECK(steady_allocations(completed(data_parallel_plan(2))) == 0);
  CHECK(steady_allocations(completed(pipeline_plan())) == 0);
}
