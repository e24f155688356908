#include "count_allocations.h"

#include "bench/case/trainer.h"
#include "catch.h"
#include "small_case.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

/// Returns the heap allocations of the whole process, with all ranks and helper threads, in ten steps after the first
/// three.
std::int64_t allocations_of_steady_steps(const SmallCase& small) {
  const Setup setup = prepare(small.experiment, small.which, open_data(small.experiment));
  program::Plan plan = compile(setup, small.which.strategy.choice, small.which.ranks);
  std::int64_t found = -1;
  comm::find_transport("threads").launch(small.which.ranks, {}, [&](comm::Communicator& communicator) {
    const auto device = kernels::make_device(small.experiment.devices.kind, {1});
    complete(plan, *device, communicator, Sharing::one_plan);
    Trainer trainer(setup, plan, *device, communicator);
    trainer.initialize();
    trainer.begin(runtime::Mode::train, training_order(setup, 3));
    for (int i = 0; i < 3; ++i) trainer.step(runtime::Mode::train, "test");
    const comm::OperationPtr barrier = communicator.barrier();
    comm::run(barrier);
    const std::int64_t before = test::allocations;
    comm::run(barrier);
    for (int i = 0; i < 10; ++i) trainer.engine().step(runtime::Mode::train, {});
    comm::run(barrier);
    if (communicator.rank() == 0) found = test::allocations - before;
    comm::run(barrier);
  });
  return found;
}

}  // namespace

// Runs on the reference device: oneDNN's primitives allocate a little at every execution.
TEST_CASE("A steady step allocates nothing, whatever the strategy", "[case]") {
  const OptionValues parts{{"microbatches", std::int64_t{2}}};
  OptionValues mesh{{"mesh", AxisSizes{{"data", 2}, {"tensor", 2}, {"pipeline", 2}}}};
  mesh.insert(parts.begin(), parts.end());
  for (const SmallCase& small : {SmallCase("single"), SmallCase("ddp", 3), SmallCase("tensor", 3),
                                 SmallCase("gpipe", 3, parts), SmallCase("hybrid", 8, mesh)}) {
    INFO(small.which.id);
    CHECK(allocations_of_steady_steps(small) == 0);
  }
}
