// The ops of one LeNet step (batch 64, 28 × 28) and of a transformer with one block (16 texts of 128 bytes, 128
// features, 4 heads) on each device, one by one and as a whole step:
//   micro_kernels [--benchmark_filter=cpu] [--benchmark_counters_tabular=true]

#include <benchmark/benchmark.h>

#include <fmt/core.h>
#include <chrono>
#include <string>

#include "bench/micro/bound.h"
#include "bench/micro/registered.h"
#include "graph/graph.h"
#include "graph/ops/optimizer.h"
#include "kernels/device.h"
#include "workloads/model.h"

namespace {

using namespace ddlbench;
using micro::Bound;

struct NamedBinding {
  std::string name;
  bool by_library;  ///< a convolution or a matrix product; the others are ddlbench's own loops
  kernels::Binding binding;
};

/// Returns the ops of a training step, and SGD's update of all parameters at once.
std::vector<NamedBinding> ops_of(const char* model, const OptionValues& options, workloads::SampleShape shape,
                                 std::int64_t samples) {
  const workloads::ModelKind& kind = workloads::find_model(model);
  const graph::Graph training =
      graph::differentiate(kind.build({std::move(shape), samples, with_defaults(kind.options, options)}));
  std::vector<NamedBinding> all;
  for (const graph::Node& node : training.nodes) {
    if (node.op->is_view()) continue;
    const std::string_view op = node.op->kind();
    all.push_back({node.name,
                   op.starts_with("conv2d") || op.starts_with("linear"),
                   {{node.op}, training.types_of(node.inputs), training.types_of(node.outputs)}});
  }
  const graph::TensorType flat{{training.parameter_elements()}};
  all.push_back({"sgd", false, {{graph::sgd({.momentum = 0.9f}).update({})}, {flat, flat, flat}, {flat, flat}}});
  return all;
}

/// A workload to time: its ops, and the number of samples that they process.
struct Workload {
  std::string name;
  std::vector<NamedBinding> ops;
  std::int64_t samples;
};

void one_op(benchmark::State& state, const std::string& kind, const kernels::DeviceOptions& options,
            const kernels::Binding& binding) {
  const auto device = kernels::make_device(kind, options);
  Bound bound(*device, binding);
  for (auto _ : state) {
    bound.launch();
    device->finish();
  }
  state.counters["GFLOP/s"] = benchmark::Counter(bound.flops() * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["GB/s"] =
      benchmark::Counter(micro::bytes_moved(binding) * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["bind_ms"] = bound.bind_seconds() * 1e3;
}

void step(benchmark::State& state, const std::string& kind, const kernels::DeviceOptions& options,
          const Workload& workload) {
  const auto device = kernels::make_device(kind, options);
  const auto& ops = workload.ops;
  std::vector<std::unique_ptr<Bound>> bound;
  for (const auto& named : ops) bound.push_back(std::make_unique<Bound>(*device, named.binding));
  double library_seconds = 0, own_seconds = 0, flops = 0;
  for (const auto& kernel : bound) flops += kernel->flops();
  for (auto _ : state) {
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const auto start = std::chrono::steady_clock::now();
      bound[i]->launch();
      device->finish();
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      (ops[i].by_library ? library_seconds : own_seconds) += seconds;
    }
  }
  state.counters["own_loops_percent"] = 100 * own_seconds / (own_seconds + library_seconds);
  state.counters["samples/s"] =
      benchmark::Counter(static_cast<double>(workload.samples), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["GFLOP/s"] = benchmark::Counter(flops * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

int main(int argc, char** argv) {
  const OptionValues one_block{{"layers", std::int64_t{1}}, {"tied", false}};
  const workloads::SampleShape image{{{1, 28, 28}}, {}}, text{{{128}, graph::DType::i32}, {128}, 256};
  const std::vector<Workload> workloads{{"", ops_of("lenet", {}, image, 64), 64},
                                        {"transformer/", ops_of("tiny-gpt", one_block, text, 16), 16}};
  for (const auto& kind : kernels::device_kinds()) {
    if (kind.count().devices == 0) continue;
    for (const int threads : {1, 2}) {
      if (threads > 1 && kind.name == "reference") continue;
      kernels::DeviceOptions options;
      options.threads = threads;
      const std::string prefix = fmt::format("{}/{}/", kind.name, threads);
      for (const Workload& workload : workloads) {
        const std::string path = prefix + workload.name;
        for (const auto& named : workload.ops) {
          benchmark::RegisterBenchmark((path + named.name).c_str(), one_op, kind.name, options, named.binding)
              ->UseRealTime();
        }
        benchmark::RegisterBenchmark((path + "step").c_str(), step, kind.name, options, workload)->UseRealTime();
      }
    }
  }
  return micro::run_registered(argc, argv);
}
