// PowerSGD's ops on a bucket of about 25 MB, in bytes of the gradient per second: each op, and all of a step. The
// matrices are those of ResNet-18's last layers:
//   micro_low_rank [--benchmark_filter=cpu/1/rank_2] [--benchmark_counters_tabular=true]

#include <benchmark/benchmark.h>

#include <fmt/core.h>
#include <string>
#include <vector>

#include "bench/micro/bound.h"
#include "bench/micro/registered.h"
#include "graph/ops/low_rank.h"

namespace {

using namespace ddlbench;
using graph::DType;
using graph::TensorType;

graph::LowRankLayout layout_of(int rank) {
  graph::LowRankLayout layout{0, rank, {}};
  for (const auto& [rows, columns] : {std::pair{512, 2304}, {512, 4608}, {512, 4608}}) {
    layout.matrices.push_back({layout.elements, rows, columns});
    layout.elements = layout.matrices.back().end() + rows;
  }
  return layout;
}

std::vector<kernels::Binding> ops_of(const graph::LowRankLayout& layout) {
  const auto flat = [](std::int64_t elements) { return TensorType{{elements}, DType::f32}; };
  const TensorType whole = flat(layout.elements), p = flat(layout.p_elements()), q = flat(layout.q_elements());
  const auto binding = [](graph::OpPtr op, std::vector<TensorType> inputs) {
    const std::vector<TensorType> outputs = op->infer(inputs);
    return kernels::Binding{{std::move(op)}, std::move(inputs), outputs};
  };
  return {binding(std::make_shared<graph::LowRankProject>(layout), {whole, whole, q}),
          binding(std::make_shared<graph::LowRankOrthogonalise>(layout), {p}),
          binding(std::make_shared<graph::LowRankProjectBack>(layout, 2), {whole, p, q}),
          binding(std::make_shared<graph::LowRankReconstruct>(layout, 2), {flat(layout.sum_elements()), q, whole})};
}

/// Times the ops that are named, or all.
void step(benchmark::State& state, const std::string& kind, int threads, int rank, const std::string& name) {
  kernels::DeviceOptions options;
  options.threads = threads;
  const auto device = kernels::make_device(kind, options);
  const graph::LowRankLayout layout = layout_of(rank);
  std::vector<std::unique_ptr<micro::Bound>> bound;
  for (const kernels::Binding& binding : ops_of(layout))
    if (name == "step" || name == binding.op->kind()) bound.push_back(std::make_unique<micro::Bound>(*device, binding));
  for (auto _ : state) {
    for (const auto& op : bound) op->launch();
    device->finish();
  }
  const double bytes = 4.0 * static_cast<double>(layout.elements);
  state.counters["GB/s"] = benchmark::Counter(bytes * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

int main(int argc, char** argv) {
  for (const auto& kind : kernels::device_kinds()) {
    if (kind.count().devices == 0 || kind.name == "reference") continue;
    for (const int threads : kind.asynchronous ? std::vector<int>{1} : std::vector<int>{1, 2})
      for (const int rank : {1, 2, 4})
        for (const char* name :
             {"low_rank_project", "low_rank_orthogonalise", "low_rank_project_back", "low_rank_reconstruct", "step"}) {
          const std::string path = fmt::format("{}/{}/rank_{}/{}", kind.name, threads, rank, name);
          benchmark::RegisterBenchmark(path.c_str(), step, kind.name, threads, rank, name)->UseRealTime();
        }
  }
  return micro::run_registered(argc, argv);
}
