#include <array>
#include <functional>

#include "base/error.h"
#include "catch.h"
#include "plans.h"
#include "program/account.h"
#include "program/budget.h"
#include "program/passes.h"
#include "ranks.h"
#include "runtime/queue_device.h"

using namespace ddlbench;
using namespace ddlbench::program;
using namespace ddlbench::runtime;
using namespace ddlbench::test;

namespace {

/// The seed for which the input stream has the highest priority and the compute stream the lowest.
constexpr unsigned inputs_first = 5;

Plan doubled(Plan plan) {
  double_buffer_inputs(plan);
  return completed(std::move(plan));
}

QueueOptions with(unsigned seed, bool on_stream, bool records) {
  QueueOptions options;
  options.seed = seed;
  options.on_stream = on_stream;
  options.records = records;
  return options;
}

/// Runs `body` as a single rank on a QueueDevice.
void on_queues(const Plan& plan, const QueueOptions& options, const std::function<void(Engine&, QueueDevice&)>& body) {
  QueueDevice* device = nullptr;
  const auto make = [&](int) {
    auto made = std::make_unique<QueueDevice>(options);
    device = made.get();
    return made;
  };
  run_ranks(plan, make, test_timeout, [&](Engine& engine, comm::Communicator&) {
    engine.initialize(3);
    body(engine, *device);
  });
}

/// Returns losses as reported by on_complete, so that the caller waits for no step.
std::vector<double> losses_reported(Engine& engine, int rank, int steps) {
  std::vector<double> losses;
  engine.set_on_complete([&](Mode mode) { losses.push_back(engine.metrics(mode).at(0)); });
  for (int step = 0; step < steps; ++step) {
    load_batch(engine, Mode::train, step, rank);
    engine.step(Mode::train, scalars_of(step));
  }
  engine.wait();
  engine.set_on_complete({});
  return losses;
}

}  // namespace

TEST_CASE("two versions of inputs are planned, accounted and allocated", "[streams]") {
  const Plan one = completed(data_parallel_plan(1)), two = doubled(data_parallel_plan(1));
  const auto inputs = [](const Plan& plan) {
    std::int64_t bytes = 0;
    on_queues(plan, {}, [&](Engine& engine, QueueDevice&) {
      bytes = engine.counters().allocated_bytes.at(MemoryClass::inputs);
      const auto by_class = account(plan, 0).persistent_bytes_by_class;
      CHECK(by_class[static_cast<std::size_t>(MemoryClass::inputs)] == bytes);
    });
    return bytes;
  };
  CHECK(inputs(one) == batch * features * 4 + batch * 4);
  CHECK(inputs(two) == 2 * inputs(one));
}

TEST_CASE("the host is one step ahead of an asynchronous device", "[streams]") {
  for (const bool records : {false, true}) {
    on_queues(doubled(data_parallel_plan(1)), with(inputs_first, false, records),
              [&](Engine& engine, QueueDevice& device) {
                std::int64_t told = 0;
                engine.set_on_complete([&](Mode) { ++told; });
                for (int step = 0; step < 8; ++step) {
                  const std::int64_t waits = device.waits(), times = device.times_read();
                  load_batch(engine, Mode::train, step, 0);
                  CHECK(told == std::max(0, step - 1) + (step == 1 ? 1 : 0));  // loading a batch waits for no step
                  engine.step(Mode::train, scalars_of(step));
                  if (step == 0) continue;  // clocks are aligned, so the step is complete
                  CHECK_FALSE(device.idle());
                  CHECK(told == step);  // all steps but this one were reported
                  // In the first steps nothing has moved the copies, and two steps are recorded.
                  if (step > 3) CHECK(device.waits() == waits);
                  CHECK(device.times_read() - times == (step > 1 ? 1 : 0));  // the end of the previous step
                }
                engine.wait();
                CHECK(device.idle());
                CHECK(told == 8);
              });
  }
}

TEST_CASE("loading a batch waits for the step that reads the previous one if inputs have one version", "[streams]") {
  on_queues(completed(data_parallel_plan(1)), with(inputs_first, false, false),
            [&](Engine& engine, QueueDevice& device) {
              for (int step = 0; step < 4; ++step) {
                std::int64_t told = 0;
                engine.set_on_complete([&](Mode) { ++told; });
                load_batch(engine, Mode::train, step, 0);
                CHECK(told == (step > 1 ? 1 : 0));
                engine.step(Mode::train, scalars_of(step));
                CHECK(device.idle() == (step == 0));
              }
            });
}

TEST_CASE("training without waiting for steps gives the same losses to the bit", "[streams]") {
  constexpr int steps = 6;
  for (const bool twice : {false, true}) {
    for (const Plan& bare : {data_parallel_plan(1), data_parallel_plan(2), pipeline_plan()}) {
      const Plan plan = twice ? doubled(bare) : completed(bare);
      const auto ranks = static_cast<std::size_t>(plan.ranks());
      std::vector<std::vector<double>> expected(ranks);
      run_ranks(plan, [&](Engine& engine, comm::Communicator& world) {
        engine.initialize(3);
        expected[static_cast<std::size_t>(world.rank())] = train(engine, world.rank(), steps);
      });
      for (unsigned seed = 0; seed < 7; ++seed) {
        for (const bool on_stream : {false, true}) {
          INFO("seed " << seed << (on_stream ? ", on stream" : ", staged") << (twice ? ", inputs twice" : ""));
          std::vector<std::vector<double>> found(ranks);
          const QueueOptions options = with(seed, on_stream, on_stream);
          const auto make = [&](int) { return std::make_unique<QueueDevice>(options); };
          run_ranks(plan, make, test_timeout, [&](Engine& engine, comm::Communicator& world) {
            engine.initialize(3);
            found[static_cast<std::size_t>(world.rank())] = losses_reported(engine, world.rank(), steps);
          });
          CHECK(found == expected);
        }
      }
    }
  }
}

TEST_CASE("communications are notified of every replay of a recording", "[streams]") {
  const Plan plan = doubled(data_parallel_plan(2));
  std::array<QueueDevice*, 2> devices{};
  const auto make = [&](int rank) {
    auto made = std::make_unique<QueueDevice>(with(0, true, true));
    devices.at(static_cast<std::size_t>(rank)) = made.get();
    return made;
  };
  struct Counts {
    std::int64_t recordings = 0, moved = 0, told = 0;
  };
  std::array<Counts, 2> counts;  // checked by one thread
  run_ranks(plan, make, test_timeout, [&](Engine& engine, comm::Communicator& world) {
    engine.initialize(3);
    losses_reported(engine, world.rank(), 8);
    const auto rank = static_cast<std::size_t>(world.rank());
    const QueueDevice& device = *devices.at(rank);
    counts.at(rank) = {device.recordings(), device.communications_run, device.communications_reported};
  });
  for (const Counts& rank : counts) {
    CHECK(rank.recordings > 2);
    CHECK(rank.moved == 8);
    CHECK(rank.told == 8);
  }
}

TEST_CASE("steps reported late do not overlap, and their budgets sum to them", "[streams]") {
  const Plan plan = doubled(data_parallel_plan(2));
  for (const bool on_stream : {false, true}) {
    std::vector<std::vector<StepTimeline>> timelines(2);
    const QueueOptions options = with(6, on_stream, on_stream);
    const auto make = [&](int) { return std::make_unique<QueueDevice>(options); };
    run_ranks(plan, make, test_timeout, [&](Engine& engine, comm::Communicator& world) {
      engine.initialize(3);
      auto& own = timelines[static_cast<std::size_t>(world.rank())];
      engine.set_on_complete([&](Mode) { own.push_back(engine.timeline()); });
      for (int step = 0; step < 6; ++step) {
        load_batch(engine, Mode::train, step, world.rank());
        engine.step(Mode::train, scalars_of(step));
      }
      engine.wait();
    });
    for (std::size_t step = 0; step < 6; ++step) {
      for (std::size_t rank = 0; rank < 2; ++rank) {
        const StepTimeline& t = timelines[rank].at(step);
        CHECK(t.step == static_cast<std::int64_t>(step));
        CHECK(t.end > t.begin);
        if (step > 0) CHECK(t.begin >= timelines[rank][step - 1].end);
        CHECK(t.transfers.size() == 1);
      }
      for (const Budget& b : split(plan, {timelines[0][step], timelines[1][step]})) {
        CHECK(b.forward > 0);
        CHECK(b.backward > 0);
        CHECK(b.optimizer > 0);
        CHECK(b.rest >= 0);
      }
    }
  }
}

TEST_CASE("a rank that stops causes an error on ranks that are a step ahead", "[streams]") {
  const Plan plan = doubled(data_parallel_plan(2));
  for (const bool on_stream : {false, true}) {
    const QueueOptions options = with(0, on_stream, on_stream);
    const auto make = [&](int) { return std::make_unique<QueueDevice>(options); };
    std::string seen;
    const auto run = [&] {
      run_ranks(plan, make, test_timeout, [&](Engine& engine, comm::Communicator& world) {
        engine.initialize(3);
        try {
          for (int step = 0; step < 100; ++step) {
            if (world.rank() == 1 && step == 4) throw InputError("rank 1 stops");
            load_batch(engine, Mode::train, step, world.rank());
            engine.step(Mode::train, scalars_of(step));
          }
        } catch (const comm::CommunicationError& error) {
          seen = error.what();
          throw;
        }
      });
    };
    CHECK_THROWS_AS(run(), InputError);
    CHECK(seen.find("rank 0") != std::string::npos);
    CHECK(seen.find("rank 1 stops") != std::string::npos);
  }
}
