#include "ranks.h"

#include <cmath>

#include "plans.h"
#include "program/passes.h"
#include "runtime/queue_channels.h"

namespace ddlbench::test {

using namespace program;
using runtime::Engine;
using runtime::Mode;

void run_ranks(const Plan& plan, const Body& body) {
  run_ranks(
      plan, [](int) { return kernels::make_device("reference", {}); }, std::chrono::seconds(10), body);
}

void run_ranks(const Plan& plan, const MakeDevice& make_device, std::chrono::milliseconds timeout, const Body& body) {
  comm::WorldOptions options;
  options.timeout = timeout;
  comm::find_transport("threads").launch(plan.ranks(), options, [&](comm::Communicator& world) {
    const auto device = make_device(world.rank());
    const TestChannels channels(*device, world);
    Engine engine(plan, *device, channels);
    body(engine, world);
  });
}

Plan completed(Plan plan) {
  CostTable costs;
  comm::find_transport("threads").launch(plan.ranks(), {}, [&](comm::Communicator& world) {
    const auto device = kernels::make_device("reference", {});
    CostTable agreed = runtime::workspace_costs(plan, *device, world);
    if (world.rank() == 0) costs = std::move(agreed);
  });
  complete(plan, costs);
  return plan;
}

void load_batch(Engine& engine, Mode mode, std::int64_t step, int rank) {
  const Program& program = mode == Mode::train ? engine.role().train : engine.role().evaluate;
  const Mesh& mesh = engine.plan().meshes[static_cast<std::size_t>(engine.role().mesh)];
  std::vector<float> values;
  std::vector<std::int32_t> labels;
  for (const InputSlot& slot : program.inputs) {
    const bool shared = !slot.axes.empty();
    const graph::Extent part = graph::part_of(batch, shared ? mesh.size() : 1, shared ? rank : 0);
    for (std::int64_t s = part.begin; s < part.end; ++s) {
      if (slot.role == graph::Role::label) labels.push_back(static_cast<std::int32_t>((s + step) % classes));
      if (slot.role != graph::Role::input) continue;
      for (std::int64_t f = 0; f < features; ++f) {
        values.push_back(static_cast<float>(std::sin(static_cast<double>(1 + s * 7 + f * 3 + step * 11))));
      }
    }
  }
  engine.load(mode, values.empty() ? nullptr : values.data(), labels.empty() ? nullptr : labels.data());
}

graph::Scalars scalars_of(std::int64_t step) {
  graph::Scalars scalars;
  scalars.learning_rate = 0.1F;
  scalars.inverse_count = 1.F / batch;
  scalars.step = step;
  return scalars;
}

std::vector<double> train(Engine& engine, int rank, int steps) {
  std::vector<double> losses;
  for (int step = 0; step < steps; ++step) {
    load_batch(engine, Mode::train, step, rank);
    engine.step(Mode::train, scalars_of(step));
    losses.push_back(engine.metrics(Mode::train).at(0));
  }
  return losses;
}

}  // namespace ddlbench::test
