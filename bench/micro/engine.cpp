// Measures the engine's overhead per instruction: the target is at most 2 µs.

#include <benchmark/benchmark.h>

#include <fmt/core.h>
#include <memory>
#include <string>

#include "bench/micro/registered.h"
#include "comm/communicator.h"
#include "graph/ops/shape.h"
#include "kernels/host_device.h"
#include "program/passes.h"
#include "runtime/engine.h"

using namespace ddlbench;

namespace {

constexpr int instructions = 1000;

/// The reference device with kernels that do nothing: what remains is the engine's time.
class IdleDevice final : public kernels::HostDevice {
 public:
  std::string kind() const override { return "idle"; }
  std::string description() const override { return "kernels that do nothing"; }
  std::unique_ptr<kernels::Kernel> bind(const kernels::Binding&) override { return std::make_unique<Idle>(); }

 private:
  class Idle final : public kernels::Kernel {
   public:
    void launch(const kernels::Arguments&) override {}
    double flops() const override { return 0; }
  };
};

/// Returns a plan of one rank that repeatedly adds two vectors of four elements. One in `stride` instructions is an
/// all-reduce over this rank alone, on which the next one depends (0: none).
program::Plan tiny_ops(int stride) {
  program::Role role;
  role.train.buffers.push_back({"w", program::MemoryClass::parameters, 16, true});
  const program::Operand w{{0, 0, 16}, {{4}, graph::DType::f32}};
  const auto add = std::make_shared<graph::Add>();
  for (int i = 0; i < instructions; ++i) {
    program::Instruction instruction;
    instruction.name = "tiny";
    instruction.action = program::Compute{{add}, {w, w}, {w}};
    if (stride > 0 && i % stride == 0) {
      program::CollectiveCall call;
      call.group = {0, {"data"}, {}};
      call.input = call.output = w;
      instruction.action = call;
      instruction.stream = graph::Stream::communication;
      instruction.phase = program::Phase::communication;
    }
    role.train.bodies.front().push_back(instruction);
  }
  program::Plan plan;
  plan.meshes.emplace_back(std::vector<program::Axis>{{"data", 1}});
  plan.roles = {role};
  plan.role_of_rank = {0};
  return plan;
}

void run_steps(benchmark::State& state, kernels::Device& device, int stride) {
  comm::find_transport("threads").launch(1, {}, [&](comm::Communicator& world) {
    program::Plan plan = tiny_ops(stride);
    program::complete(plan, runtime::workspace_costs(plan, device, world));
    runtime::Engine engine(plan, device, world);
    engine.initialize(1);
    for (auto _ : state) engine.step(runtime::Mode::train, {});
  });
  state.counters["per_instruction"] =
      benchmark::Counter(instructions, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// Times a steady step of an asynchronous device, launched as one graph or op by op.
void steady_step(benchmark::State& state, const kernels::DeviceKind& kind, bool as_graph) {
  const auto device = kind.make({});
  comm::find_transport("threads").launch(1, {}, [&](comm::Communicator& world) {
    program::Plan plan = tiny_ops(0);
    program::complete(plan, runtime::workspace_costs(plan, *device, world));
    runtime::Engine engine(plan, *device, world);
    engine.initialize(1);
    // An engine with a hook, which sees each instruction, does not use a graph.
    if (!as_graph) engine.set_hook([](runtime::Mode, const program::Instruction&) {});
    for (int i = 0; i < 3; ++i) engine.step(runtime::Mode::train, {});
    for (auto _ : state) engine.step(runtime::Mode::train, {});
  });
}

void engine_overhead(benchmark::State& state) {
  IdleDevice device;
  run_steps(state, device, static_cast<int>(state.range(0)));
}

void engine_with_reference_kernels(benchmark::State& state) {
  const auto device = kernels::make_device("reference", {});
  run_steps(state, *device, 0);
}

}  // namespace

BENCHMARK(engine_overhead)->ArgName("communication_every")->Arg(0)->Arg(10)->UseRealTime();
BENCHMARK(engine_with_reference_kernels)->UseRealTime();

int main(int argc, char** argv) {
  for (const auto& kind : kernels::device_kinds()) {
    if (kind.count().devices == 0 || !kind.make({})->asynchronous()) continue;
    for (const bool as_graph : {true, false}) {
      const std::string name = fmt::format("steady_step/{}{}", kind.name, as_graph ? "/graph" : "/ops");
      benchmark::RegisterBenchmark(name.c_str(), steady_step, kind, as_graph)->UseRealTime();
    }
  }
  return micro::run_registered(argc, argv);
}
