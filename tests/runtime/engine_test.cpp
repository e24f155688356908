#include "runtime/engine.h"

#include <mutex>

#include "base/error.h"
#include "catch.h"
#include "plans.h"
#include "program/account.h"
#include "program/check.h"
#include "program/passes.h"
#include "ranks.h"
#include "runtime/state.h"
#include "runtime/step_scalars.h"

using namespace ddlbench;
using namespace ddlbench::program;
using namespace ddlbench::runtime;
using namespace ddlbench::test;

namespace {

struct Outcome {
  std::vector<double> losses;  ///< summed over ranks
  Tensors initial, parameters, gradients;
};

Outcome trained(const Plan& plan, int steps) {
  Outcome outcome;
  outcome.losses.resize(static_cast<std::size_t>(steps));
  std::mutex mutex;
  run_ranks(plan, [&](Engine& engine, comm::Communicator& world) {
    engine.initialize(3);
    const Tensors initial = gather(engine, MemoryClass::parameters, world);
    const std::vector<double> losses = train(engine, world.rank(), steps);
    const Tensors parameters = gather(engine, MemoryClass::parameters, world);
    const Tensors gradients = gather(engine, MemoryClass::gradients, world);
    const std::lock_guard lock(mutex);
    for (std::size_t i = 0; i < losses.size(); ++i) outcome.losses[i] += losses[i];
    if (world.rank() == 0) {
      outcome.initial = initial;
      outcome.parameters = parameters;
      outcome.gradients = gradients;
    }
  });
  return outcome;
}

void check_close(const Tensors& a, const Tensors& b) {
  REQUIRE(a.size() == b.size());
  for (const auto& [name, values] : a) {
    INFO(name);
    REQUIRE(values.size() == b.at(name).size());
    // Sums of at most 8 products near 1, in another order.
    for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == Approx(b.at(name)[i]).margin(2e-6));
  }
}

}  // namespace

TEST_CASE("the plans of these tests are valid") {
  CHECK(check(completed(data_parallel_plan(1))).empty());
  CHECK(check(completed(data_parallel_plan(2))).empty());
  CHECK(check(completed(pipeline_plan())).empty());
}

TEST_CASE("training lowers the loss") {
  const Outcome outcome = trained(completed(data_parallel_plan(1)), 1);
  CHECK(outcome.losses[0] > 0.5);
  Outcome fixed;
  run_ranks(completed(data_parallel_plan(1)), [&](Engine& engine, comm::Communicator&) {
    engine.initialize(3);
    load_batch(engine, Mode::train, 0, 0);
    for (int step = 0; step < 200; ++step) {
      engine.step(Mode::train, scalars_of(step));
      fixed.losses.push_back(engine.metrics(Mode::train).at(0));
    }
  });
  CHECK(fixed.losses.back() < 0.95 * fixed.losses.front());
}

TEST_CASE("data-parallel training matches training on one rank") {
  const Outcome one = trained(completed(data_parallel_plan(1)), 4);
  for (const int ranks : {2, 4}) {
    const Outcome several = trained(completed(data_parallel_plan(ranks)), 4);
    CHECK(several.initial == one.initial);
    CHECK(several.parameters != several.initial);
    check_close(several.parameters, one.parameters);
    check_close(several.gradients, one.gradients);
    for (std::size_t i = 0; i < one.losses.size(); ++i) CHECK(several.losses[i] == Approx(one.losses[i]).epsilon(1e-5));
  }
}

TEST_CASE("scratch memory of a collective is planned") {
  const auto doubling = [] {
    Plan plan = data_parallel_plan(4);
    for (Instruction& instruction : plan.roles[0].train.bodies.front()) {
      if (auto* call = std::get_if<CollectiveCall>(&instruction.action)) {
        call->algorithm = collectives::find_algorithm("recursive_doubling");
      }
    }
    return plan;
  };
  const Plan plan = completed(doubling());
  CHECK(account(plan, 0).peak_bytes_by_class[static_cast<std::size_t>(MemoryClass::communication)] >= 84);
  check_close(trained(plan, 4).parameters, trained(completed(data_parallel_plan(1)), 4).parameters);

  Plan without = doubling();
  complete(without, {});
  try {
    run_ranks(without, [](Engine&, comm::Communicator&) {});
    FAIL("an unplanned workspace was accepted");
  } catch (const ContractError& error) {
    const std::string what = error.what();
    CHECK(what.find("'sum gradients' needs a workspace of 84 bytes, but the plan has 0") != std::string::npos);
  }
}

TEST_CASE("training in two stages matches training on one rank to the bit") {
  const Outcome one = trained(completed(two_layer_plan()), 4);
  const Outcome two = trained(completed(pipeline_plan()), 4);
  CHECK(two.initial == one.initial);
  CHECK(two.parameters == one.parameters);
  CHECK(two.gradients == one.gradients);
  CHECK(two.losses == one.losses);
}

TEST_CASE("evaluation shares the parameters and does not change them") {
  std::vector<double> before, after, trained_loss;
  Tensors parameters, untouched;
  run_ranks(completed(data_parallel_plan(1)), [&](Engine& engine, comm::Communicator& world) {
    engine.initialize(3);
    load_batch(engine, Mode::evaluate, 0, 0);
    engine.step(Mode::evaluate, scalars_of(0));
    before = engine.metrics(Mode::evaluate);
    trained_loss = train(engine, 0, 5);
    parameters = gather(engine, MemoryClass::parameters, world);
    load_batch(engine, Mode::evaluate, 0, 0);
    engine.step(Mode::evaluate, scalars_of(0));
    after = engine.metrics(Mode::evaluate);
    untouched = gather(engine, MemoryClass::parameters, world);
  });
  CHECK(before.at(0) == trained_loss.at(0));  // the same weights and samples
  CHECK(after.at(0) != before.at(0));
  CHECK(untouched == parameters);
}

TEST_CASE("the device allocates exactly what was planned") {
  for (const Plan& plan : {completed(data_parallel_plan(2)), completed(pipeline_plan())}) {
    std::vector<Counters> counters(static_cast<std::size_t>(plan.ranks()));
    run_ranks(plan, [&](Engine& engine, comm::Communicator& world) {
      counters[static_cast<std::size_t>(world.rank())] = engine.counters();
    });
    for (int rank = 0; rank < plan.ranks(); ++rank) {
      const Counters& c = counters[static_cast<std::size_t>(rank)];
      std::int64_t persistent = 0;
      for (const auto& [memory_class, bytes] : c.allocated_bytes) persistent += bytes;
      CHECK(persistent + c.arena_bytes == account(plan, rank).peak_bytes);
      CHECK(c.arena_bytes == account(plan, rank).arena_bytes);
      CHECK(c.device_bytes == account(plan, rank).peak_bytes + StepScalars::unplanned_bytes(plan.role(rank).train));
    }
  }
}

TEST_CASE("kernels count the FLOPs that the account predicts") {
  const Plan plan = completed(data_parallel_plan(2));
  std::vector<Counters> counters(2);
  run_ranks(plan, [&](Engine& engine, comm::Communicator& world) {
    engine.initialize(3);
    train(engine, world.rank(), 3);
    counters[static_cast<std::size_t>(world.rank())] = engine.counters();
  });
  for (const Counters& c : counters) {
    CHECK(c.launches == 3 * 5);
    CHECK(c.flops.at(Phase::forward) == Approx(3 * account(plan, 0).flops.at(Phase::forward)));
    CHECK(c.flops.at(Phase::backward_weight) == Approx(3 * account(plan, 0).flops.at(Phase::backward_weight)));
  }
}

TEST_CASE("reading state returns what was written") {
  std::vector<float> back;
  run_ranks(completed(data_parallel_plan(1)), [&](Engine& engine, comm::Communicator&) {
    const HeldState shard = held_state(engine.plan(), 0).at(1);
    const std::vector<float> values{1, 2, 3};
    engine.write(shard, values.data());
    back.resize(values.size());
    engine.read(shard, back.data());
  });
  CHECK(back == std::vector<float>{1, 2, 3});
}
