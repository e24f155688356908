#include <mutex>

#include "base/error.h"
#include "catch.h"
#include "graph/ops/shape.h"
#include "plans.h"
#include "program/budget.h"
#include "ranks.h"
#include "runtime/queue_device.h"
#include "runtime/state.h"
#include "skip.h"

using namespace ddlbench;
using namespace ddlbench::program;
using namespace ddlbench::runtime;
using namespace ddlbench::test;

namespace {

constexpr int steps = 5;

MakeDevice queues(const QueueOptions& options) {
  return [options](int rank) {
    QueueOptions own = options;
    own.dropped = rank == 0 ? options.dropped : -1;
    return std::make_unique<QueueDevice>(own);
  };
}

struct StreamOutcome {
  Tensors parameters, gradients;
  std::vector<double> losses;  ///< rank by rank, step by step
  bool operator==(const StreamOutcome&) const = default;
};

StreamOutcome trained_on(const Plan& plan, const MakeDevice& make_device) {
  StreamOutcome outcome;
  std::vector<std::vector<double>> losses(static_cast<std::size_t>(plan.ranks()));
  run_ranks(plan, make_device, test_timeout, [&](Engine& engine, comm::Communicator& world) {
    engine.initialize(3);
    losses[static_cast<std::size_t>(world.rank())] = train(engine, world.rank(), steps);
    Tensors parameters = gather(engine, MemoryClass::parameters, world);
    Tensors gradients = gather(engine, MemoryClass::gradients, world);
    if (world.rank() != 0) return;
    outcome.parameters = std::move(parameters);
    outcome.gradients = std::move(gradients);
  });
  for (const auto& list : losses) outcome.losses.insert(outcome.losses.end(), list.begin(), list.end());
  return outcome;
}

std::vector<QueueOptions> all_options() {
  std::vector<QueueOptions> all;
  for (unsigned seed = 0; seed < 7; ++seed) {
    for (const bool on_stream : {false, true}) {
      for (const bool records : {false, true}) {
        QueueOptions options;
        options.seed = seed;
        options.on_stream = on_stream;
        options.records = records;
        all.push_back(options);
      }
    }
  }
  return all;
}

std::string describe(const QueueOptions& options) {
  return "seed " + std::to_string(options.seed) + (options.on_stream ? ", on stream" : ", staged") +
         (options.records ? ", recorded" : "");
}

/// A plan for one rank: a buffer is doubled on the device, copied to another and back, and doubled again, in each step.
Plan copying_plan() {
  ProgramWriter w;
  const BufferId kept = w.persistent("w", MemoryClass::parameters, 8);
  const BufferId there = w.persistent("there", MemoryClass::optimizer_state, 8);
  const auto doubled = [&](const std::string& name, BufferId buffer) {
    w.compute(name, Phase::forward, std::make_shared<graph::Add>(), {operand(buffer, {2}), operand(buffer, {2})},
              {operand(buffer, {2})});
  };
  const auto copied = [&](const std::string& name, BufferId from, BufferId to) {
    w.communicate(name, Copy{operand(from, {2}).view, operand(to, {2}).view}).stream = graph::Stream::copy;
  };
  doubled("double", kept);
  copied("away", kept, there);
  doubled("double again", kept);
  doubled("double there", there);
  copied("back", there, kept);
  return completed(two_element_plan(w.program, kept));
}

/// Returns the values of copying_plan() after four steps.
std::vector<float> copied(const MakeDevice& make_device) {
  std::vector<float> values(2);
  run_ranks(copying_plan(), make_device, test_timeout, [&](Engine& engine, comm::Communicator&) {
    engine.initialize(1);
    for (int step = 0; step < 4; ++step) engine.step(Mode::train, scalars_of(step));
    engine.read(held_state(engine.plan(), 0)[0], values.data());
  });
  return values;
}

}  // namespace

TEST_CASE("streams train the same as the host to the bit, in any order that events allow", "[streams]") {
  for (const Plan& plan : {completed(data_parallel_plan(1)), completed(data_parallel_plan(2)),
                           completed(data_parallel_plan(4)), completed(pipeline_plan())}) {
    const StreamOutcome expected = trained_on(plan, reference());
    for (const QueueOptions& options : all_options()) {
      INFO(describe(options));
      CHECK(trained_on(plan, queues(options)) == expected);
    }
  }
}

TEST_CASE("copies run after the producers of their bytes and before the consumers", "[streams]") {
  const std::vector<float> expected = copied(reference());
  CHECK(expected == std::vector<float>{256, 256});
  for (const QueueOptions& options : all_options()) {
    INFO(describe(options));
    CHECK(copied(queues(options)) == expected);
  }
}

/// Returns true if a run in which rank 0 omits one stream wait fails for some order of its streams.
bool seen(const Plan& plan, const StreamOutcome& expected, QueueOptions options) {
  for (options.seed = 0; options.seed < 7; ++options.seed) {
    try {
      if (trained_on(plan, queues(options)) != expected) return true;
    } catch (const std::exception&) {  // ends before the events of its times
      return true;
    }
  }
  return false;
}

/// Returns the number of stream waits of rank 0 in one step.
std::int64_t stream_waits_per_step(const Plan& plan, const QueueOptions& options) {
  std::int64_t stream_waits = 0;
  QueueDevice* device = nullptr;
  const auto make = [&](int rank) {
    auto made = std::make_unique<QueueDevice>(options);
    if (rank == 0) device = made.get();
    return made;
  };
  run_ranks(plan, make, test_timeout, [&](Engine& engine, comm::Communicator& world) {
    engine.initialize(3);
    train(engine, world.rank(), 1);
    if (world.rank() == 0) stream_waits = device->stream_waits();
  });
  return stream_waits;
}

TEST_CASE("an omitted stream wait is detected", "[streams]") {
#ifdef __SANITIZE_THREAD__
  return skip("the data race that a missing wait causes is what ThreadSanitizer ends the test for");
#endif
  for (const bool on_stream : {true, false}) {
    const Plan plan = completed(data_parallel_plan(2));
    const StreamOutcome expected = trained_on(plan, reference());
    QueueOptions options;
    options.on_stream = on_stream;
    const std::int64_t per_step = stream_waits_per_step(plan, options);
    REQUIRE(per_step > 0);
    for (std::int64_t dropped = 0; dropped < per_step; ++dropped) {
      INFO((on_stream ? "on stream, hold " : "staged, hold ") << dropped);
      options.dropped = per_step + dropped;
      CHECK(seen(plan, expected, options));
    }
  }
}

TEST_CASE("steady bodies are recorded if nothing in them needs the host", "[streams]") {
  QueueOptions options;
  const auto mode_of = [&](const Plan& plan, bool hooked = false) {
    std::string mode;
    std::int64_t launched = 0;
    QueueDevice* device = nullptr;
    const auto make = [&](int rank) {
      auto made = std::make_unique<QueueDevice>(options);
      if (rank == 0) device = made.get();
      return made;
    };
    run_ranks(plan, make, test_timeout, [&](Engine& engine, comm::Communicator& world) {
      if (hooked) engine.set_hook([](Mode, const Instruction&) {});
      engine.initialize(3);
      train(engine, world.rank(), steps);
      if (world.rank() != 0) return;
      mode = engine.launch_mode();
      launched = device->recordings();
    });
    CHECK(launched == (mode == "graph" ? steps - 2 : 0));
    return mode;
  };
  const Plan one = completed(data_parallel_plan(1)), two = completed(data_parallel_plan(2));
  CHECK(mode_of(one) == "no graph: the device cannot record");
  options.records = true;
  CHECK(mode_of(one) == "graph");
  CHECK(mode_of(one, true) == "no graph: a hook must be called before each instruction");
  CHECK(mode_of(two) == "no graph: the host drives the messages of transport threads");
  options.on_stream = true;
  CHECK(mode_of(two) == "graph");
  run_ranks(one, [&](Engine& engine, comm::Communicator&) {
    CHECK(engine.launch_mode() == "no graph: the device runs each op when it is called");
  });
}

TEST_CASE("a step's budget on streams sums to its time and includes compute and communication", "[streams]") {
  const Plan plan = completed(data_parallel_plan(2));
  for (const QueueOptions& options : all_options()) {
    std::vector<std::vector<StepTimeline>> timelines(2);
    run_ranks(plan, queues(options), test_timeout, [&](Engine& engine, comm::Communicator& world) {
      engine.initialize(3);
      for (int step = 0; step < steps; ++step) {
        train(engine, world.rank(), 1);
        timelines[static_cast<std::size_t>(world.rank())].push_back(engine.timeline());
      }
    });
    INFO(describe(options));
    for (std::size_t step = 0; step < steps; ++step) {
      CHECK(timelines[0][step].transfers.size() == 1);
      const std::vector<Budget> budgets = split(plan, {timelines[0][step], timelines[1][step]});
      for (std::size_t rank = 0; rank < budgets.size(); ++rank) {
        const Budget& b = budgets[rank];
        const StepTimeline& timeline = timelines[rank][step];
        CHECK(b.total() == Approx(static_cast<double>(timeline.end - timeline.begin) * 1e-9).epsilon(1e-9));
        CHECK(b.rest >= 0);
        CHECK(b.forward > 0);
        CHECK(b.backward > 0);
        CHECK(b.optimizer > 0);
        CHECK(b.input > 0);
      }
    }
  }
}

TEST_CASE("loading a batch early does not change the previous one", "[streams]") {
  for (const QueueOptions& options : all_options()) {
    std::vector<double> losses;
    run_ranks(completed(data_parallel_plan(1)), queues(options), test_timeout,
              [&](Engine& engine, comm::Communicator&) {
                engine.initialize(3);
                load_batch(engine, Mode::train, 4, 0);
                load_batch(engine, Mode::evaluate, 4, 0);
                load_batch(engine, Mode::train, 0, 0);
                engine.step(Mode::evaluate, scalars_of(0));
                engine.step(Mode::train, scalars_of(0));
                losses = {engine.metrics(Mode::train).at(0), engine.metrics(Mode::evaluate).at(0)};
              });
    std::vector<double> expected;
    run_ranks(completed(data_parallel_plan(1)), [&](Engine& engine, comm::Communicator&) {
      engine.initialize(3);
      load_batch(engine, Mode::evaluate, 4, 0);
      engine.step(Mode::evaluate, scalars_of(0));
      load_batch(engine, Mode::train, 0, 0);
      engine.step(Mode::train, scalars_of(0));
      expected = {engine.metrics(Mode::train).at(0), engine.metrics(Mode::evaluate).at(0)};
    });
    INFO(describe(options));
    CHECK(losses == expected);
  }
}

TEST_CASE("an invalid label is rejected on loading, with the kernels' message", "[streams]") {
  const Plan plan = completed(data_parallel_plan(1));
  const auto error_of = [&](const MakeDevice& make_device) -> std::string {
    try {
      run_ranks(plan, make_device, test_timeout, [&](Engine& engine, comm::Communicator&) {
        engine.initialize(3);
        const std::vector<float> values(batch * features, 0.5F);
        std::vector<std::int32_t> labels(batch, -1);
        labels[5] = 3;
        engine.load(Mode::train, values.data(), labels.data());
        engine.step(Mode::train, scalars_of(0));
      });
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::string expected = error_of(reference());
  CHECK(expected.find("label 3 at index 5") != std::string::npos);
  CHECK(error_of(queues({})) == expected);
}

TEST_CASE("an engine releases all its events", "[streams]") {
  const Plan plan = completed(data_parallel_plan(1));
  QueueDevice device{QueueOptions{}};
  comm::find_transport("threads").launch(1, {}, [&](comm::Communicator& world) {
    const Engine engine(plan, device, Channels(world, world, Route::staged));
  });
  CHECK(device.events() == 0);
}
