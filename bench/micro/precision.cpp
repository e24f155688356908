// Convolutions of ResNet-50 (batch 8, 56 × 56) and linear layers of GPT-2 small (4 texts of 512 tokens) in f32, bf16
// and f16, on each device:
//   micro_precision [--benchmark_filter=cpu/2] [--benchmark_counters_tabular=true]

#include <benchmark/benchmark.h>

#include <fmt/core.h>
#include <string>

#include "bench/micro/bound.h"
#include "bench/micro/registered.h"
#include "graph/ops/conv2d.h"
#include "graph/ops/linear.h"
#include "kernels/device.h"

namespace {

using namespace ddlbench;
using graph::DType;
using graph::TensorType;
using micro::Bound;

struct NamedBinding {
  std::string name;
  kernels::Binding binding;
};

std::vector<NamedBinding> bindings(DType dtype) {
  constexpr auto none = graph::Activation::none;
  const graph::ConvolutionAttributes geometry{1, 1};
  const TensorType x{{8, 64, 56, 56}, dtype}, w{{64, 64, 3, 3}, dtype};
  const TensorType rows{{4, 512, 768}, dtype}, weight{{3072, 768}, dtype}, bias{{3072}, dtype};
  const TensorType wide{{4, 512, 3072}, dtype};
  return {
      {"conv3x3", {{std::make_shared<graph::Conv2d>(geometry, false, none)}, {x, w}, {x}}},
      {"conv3x3.backward_input", {{std::make_shared<graph::Conv2dBackwardInput>(geometry, 56, 56)}, {x, w}, {x}}},
      {"conv3x3.backward_weight", {{std::make_shared<graph::Conv2dBackwardWeight>(geometry, 3, false)}, {x, x}, {w}}},
      {"mlp.c_fc", {{std::make_shared<graph::Linear>(true, none)}, {rows, weight, bias}, {wide}}},
      {"mlp.c_fc.backward_input", {{std::make_shared<graph::LinearBackwardInput>()}, {wide, weight}, {rows}}},
      {"mlp.c_fc.backward_weight",
       {{std::make_shared<graph::LinearBackwardWeight>(true)}, {rows, wide}, {weight, bias}}},
  };
}

void one_op(benchmark::State& state, const std::string& kind, int threads, const kernels::Binding& binding) {
  kernels::DeviceOptions options;
  options.threads = threads;
  const auto device = kernels::make_device(kind, options);
  Bound bound(*device, binding);
  for (auto _ : state) {
    bound.launch();
    device->finish();
  }
  state.counters["GFLOP/s"] = benchmark::Counter(bound.flops() * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

int main(int argc, char** argv) {
  for (const auto& kind : kernels::device_kinds()) {
    if (kind.count().devices == 0 || kind.name == "reference") continue;
    for (const int threads : {1, 2}) {
      for (const DType dtype : {DType::f32, DType::bf16, DType::f16}) {
        for (const auto& one : bindings(dtype)) {
          const std::string path = fmt::format("{}/{}/{}/{}", kind.name, threads, graph::name(dtype), one.name);
          benchmark::RegisterBenchmark(path.c_str(), one_op, kind.name, threads, one.binding)->UseRealTime();
        }
      }
    }
  }
  return micro::run_registered(argc, argv);
}
