#include <memory>

#include "base/error.h"
#include "catch.h"
#include "contains.h"
#include "devices.h"
#include "graph/ops/optimizer.h"
#include "graph/ops/shape.h"
#include "plans.h"
#include "ranks.h"
#include "runtime/queue_device.h"
#include "runtime/state.h"

using namespace ddlbench;
using namespace ddlbench::program;
using namespace ddlbench::runtime;
using namespace ddlbench::test;
using std::chrono::milliseconds;

namespace {

MakeDevice seeded_queues(unsigned seed = 0) {
  return [seed](int) {
    QueueOptions options;
    options.seed = seed;
    return std::make_unique<QueueDevice>(options);
  };
}

/// A plan with one rank and one buffer "w" of two elements in `versions` versions, initially 1.
Plan ring_plan(int versions) {
  ProgramWriter w;
  const BufferId ring = w.persistent("w", MemoryClass::parameters, 8, versions);
  return two_element_plan(w.program, ring);
}

Operand aged(int age) {
  Operand result = operand(0, {2});
  result.view.age = age;
  return result;
}

CollectiveCall over_two_ranks(graph::Collective kind) {
  CollectiveCall call;
  call.kind = kind;
  call.group = {0, {"data"}, {}};
  return call;
}

/// Returns "w" of two ranks after a step in which each executes `program`. Before it, they have {1, 2} and {3, 4}.
std::vector<std::vector<float>> two_ranks_after(const Program& program) {
  Plan plan = ring_plan(1);
  plan.meshes = {Mesh({{"data", 2}})};
  plan.role_of_rank = {0, 0};
  plan.roles[0].train = program;
  plan = completed(plan);
  std::vector<std::vector<float>> values{{1, 2}, {3, 4}};
  run_ranks(plan, [&](Engine& engine, comm::Communicator& world) {
    float* const own = values[static_cast<std::size_t>(world.rank())].data();
    engine.initialize(1);
    engine.write(held_state(engine.plan(), 0)[0], own);
    engine.step(Mode::train, scalars_of(0));
    engine.read(held_state(engine.plan(), 0)[0], own);
  });
  return values;
}

/// Returns the message of the Error that running `plan` throws.
template <class Error>
std::string failure(const Plan& plan, const MakeDevice& make_device, milliseconds timeout, const Body& body) {
  try {
    run_ranks(plan, make_device, timeout, body);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing of this type was thrown";
}

void train_once(Engine& engine, comm::Communicator& world) {
  engine.initialize(3);
  train(engine, world.rank(), 1);
}

}  // namespace

TEST_CASE("a ring of versions advances with each training step") {
  Plan plan = ring_plan(3);
  ProgramWriter w{plan.roles[0].train};
  w.compute("fibonacci", Phase::optimizer, std::make_shared<graph::Add>(), {aged(0), aged(1)}, {aged(-1)});
  plan.roles[0].train = w.program;
  std::vector<float> newest;
  run_ranks(plan, [&](Engine& engine, comm::Communicator&) {
    engine.initialize(1);
    for (int step = 0; step < 6; ++step) {
      engine.step(Mode::train, scalars_of(step));
      float pair[2];
      engine.read(held_state(engine.plan(), 0)[0], pair);
      newest.push_back(pair[1]);
    }
  });
  CHECK(newest == std::vector<float>{2, 3, 5, 8, 13, 21});
}

TEST_CASE("a copy on the device runs after the computation that produced its bytes") {
  Plan plan = ring_plan(1);
  ProgramWriter w{plan.roles[0].train};
  const BufferId away = w.transient("away", 8);
  w.compute("double", Phase::forward, std::make_shared<graph::Add>(), {operand(0, {2}), operand(0, {2})},
            {operand(away, {2})});
  w.communicate("bring back", Copy{operand(away, {2}).view, operand(0, {2}).view}).stream = graph::Stream::copy;
  plan.roles[0].train = w.program;
  plan = completed(plan);
  for (const MakeDevice& make_device : {reference(), seeded_queues()}) {
    std::vector<float> values(2);
    run_ranks(plan, make_device, test_timeout, [&](Engine& engine, comm::Communicator&) {
      engine.initialize(1);
      engine.step(Mode::train, scalars_of(0));
      engine.step(Mode::train, scalars_of(1));
      engine.read(held_state(engine.plan(), 0)[0], values.data());
    });
    CHECK(values == std::vector<float>{4, 4});
  }
}

TEST_CASE("the prologue runs before the first step, and the epilogue when the engine is drained after steps") {
  Plan plan = ring_plan(1);
  ProgramWriter w{plan.roles[0].train};
  const auto doubled = [&](const std::string& name) {
    w.compute(name, Phase::forward, std::make_shared<graph::Add>(), {operand(0, {2}), operand(0, {2})},
              {operand(0, {2})});
    return Instruction(w.program.bodies.front().back());
  };
  const Instruction instruction = doubled("double");
  w.program.prologue = {instruction};
  w.program.epilogue = {instruction};
  plan.roles[0].train = w.program;
  std::vector<float> seen;
  run_ranks(plan, [&](Engine& engine, comm::Communicator&) {
    engine.initialize(1);
    const auto look = [&] {
      float pair[2];
      engine.read(held_state(engine.plan(), 0)[0], pair);
      seen.push_back(pair[0]);
    };
    engine.drain(Mode::train);
    look();
    engine.step(Mode::train, scalars_of(0));
    CHECK(contains(failure_of([&] { look(); }), "the training program must be drained first"));
    CHECK(contains(failure_of([&] { engine.initialize(1); }), "the training program must be drained first"));
    CHECK(contains(failure_of([&] { engine.begin(Mode::evaluate); }), "the training program must be drained first"));
    engine.step(Mode::train, scalars_of(1));
    engine.drain(Mode::train);
    look();
    engine.begin(Mode::train);
    look();
    engine.drain(Mode::train);
    look();
    engine.step(Mode::train, scalars_of(2));
    engine.drain(Mode::train);
    look();
  });
  CHECK(seen == std::vector<float>{1, 16, 32, 32, 256});
}

TEST_CASE("work that a step leaves has the scalars of that step, in the next one and in the epilogue") {
  Plan plan = ring_plan(1);
  ProgramWriter w{plan.roles[0].train};
  // w ← w − rate · g, where g is always 1: what each step leaves is its own rate.
  const BufferId gradient = w.persistent("g", MemoryClass::parameters, 8);
  const graph::OpPtr update = graph::sgd({}).update({});
  w.compute("update", Phase::optimizer, update, {operand(0, {2}), operand(gradient, {2})}, {operand(0, {2})})
      .steps_back = 1;
  const Instruction later = w.program.bodies.front().back();
  Instruction last = later;
  last.steps_back = 0;
  w.program.bodies.front() = {later};
  w.program.bodies.push_back({});
  w.program.epilogue = {last};
  plan.roles[0].train = w.program;
  plan.cadence.fill = {1};
  const auto rated = [](std::int64_t step, float rate) {
    graph::Scalars scalars = scalars_of(step);
    scalars.learning_rate = rate;
    return scalars;
  };
  plan = completed(plan);
  for (const MakeDevice& make_device : {reference(), seeded_queues()}) {
    std::vector<float> seen;
    std::vector<int> bodies;
    run_ranks(plan, make_device, test_timeout, [&](Engine& engine, comm::Communicator&) {
      engine.initialize(1);
      const float ones[2] = {1, 1}, tens[2] = {10, 10};
      const std::vector<HeldState> held = held_state(engine.plan(), 0);
      const HeldState g{held[0].shard, held[0].elements, operand(gradient, {2}).view};
      engine.write(held[0], tens);
      engine.write(g, ones);
      const auto step = [&](std::int64_t number, float rate) {
        engine.step(Mode::train, rated(number, rate));
        bodies.push_back(engine.timeline().body);
      };
      const auto drain = [&] {
        engine.drain(Mode::train);
        float pair[2];
        engine.read(held[0], pair);
        seen.push_back(pair[0]);
      };
      step(0, 1);
      drain();
      step(1, 0.5);
      step(2, 4);
      drain();
      step(3, 0.25);
      step(4, 2);
      step(5, 0.125);
      drain();
    });
    CHECK(bodies == std::vector<int>{1, 1, 0, 1, 0, 0});
    CHECK(seen == std::vector<float>{9, 4.5, 2.125});
  }
}

TEST_CASE("a broadcast sends the values of the first member to all") {
  ProgramWriter w{ring_plan(1).roles[0].train};
  CollectiveCall call = over_two_ranks(graph::Collective::broadcast);
  call.input = call.output = operand(0, {2});
  w.communicate("tell", call);
  CHECK(two_ranks_after(w.program) == std::vector<std::vector<float>>{{1, 2}, {1, 2}});
}

TEST_CASE("an all_to_all gives part n of each member to member n") {
  ProgramWriter w{ring_plan(1).roles[0].train};
  const Operand swapped = operand(w.transient("swapped", 8), {2});
  CollectiveCall call = over_two_ranks(graph::Collective::all_to_all);
  call.input = operand(0, {2});
  call.output = swapped;
  call.counts = {1, 1};
  w.communicate("swap", call);
  w.compute("double", Phase::forward, std::make_shared<graph::Add>(), {swapped, swapped}, {operand(0, {2})});
  CHECK(two_ranks_after(w.program) == std::vector<std::vector<float>>{{2, 6}, {4, 8}});
}

TEST_CASE("packing is rejected with the instruction's name before anything runs") {
  Plan plan = ring_plan(1);
  ProgramWriter w{plan.roles[0].train};
  w.communicate("pack w", Pack{operand(0, {2}), operand(0, {2}).view, "blocked"});
  plan.roles[0].train = w.program;
  const std::string what = failure<ContractError>(plan, reference(), test_timeout, [](Engine&, comm::Communicator&) {});
  CHECK(contains(what, "rank 0"));
  CHECK(contains(what, "'pack w'"));
}

TEST_CASE("an exception from a kernel names rank and instruction") {
  const Plan plan = completed(data_parallel_plan(2));
  const MakeDevice one_burns = [](int rank) -> std::unique_ptr<kernels::Device> {
    if (rank == 1) return std::make_unique<FailingDevice>("linear_backward_weight");
    return kernels::make_device("reference", {});
  };
  const std::string what = failure<std::runtime_error>(plan, one_burns, test_timeout, train_once);
  CHECK(contains(what, "rank 1"));
  CHECK(contains(what, "'fc backward weight'"));
  CHECK(contains(what, "the device burns"));
}

TEST_CASE("an error in a communication stays a CommunicationError and names rank and instruction") {
  const Plan plan = completed(data_parallel_plan(2));
  const std::string what = failure<comm::CommunicationError>(plan, reference(), milliseconds(200),
                                                             [](Engine& engine, comm::Communicator& world) {
                                                               engine.initialize(3);
                                                               if (world.rank() == 0)
                                                                 train(engine, 0, 1);  // the other rank never joins
                                                             });
  INFO(what);
  CHECK(contains(what, "rank 0"));
  CHECK(contains(what, "'sum gradients'"));
}

TEST_CASE("a missing input is rejected by name") {
  const std::string what = failure<ContractError>(completed(data_parallel_plan(1)), reference(), test_timeout,
                                                  [](Engine& engine, comm::Communicator&) {
                                                    const std::vector<float> values(batch * features);
                                                    engine.load(Mode::train, values.data(), nullptr);
                                                  });
  CHECK(contains(what, "'labels'"));
}

TEST_CASE("a plan for a different number of ranks than the communicator is rejected") {
  const Plan plan = completed(data_parallel_plan(2));
  comm::find_transport("threads").launch(1, {}, [&](comm::Communicator& world) {
    const auto device = kernels::make_device("reference", {});
    CHECK_THROWS_AS(Engine(plan, *device, world), ContractError);
  });
}
