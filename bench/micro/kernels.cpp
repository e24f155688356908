// The ops of one LeNet step (batch 64, 28 × 28) and of a transformer with one block (16 texts of 128 bytes, 128
// features, 4 heads) on each device, one by one and as a whole step:
//   micro_kernels [--benchmark_filter=cpu] [--benchmark_counters_tabular=true]

#include <benchmark/benchmark.h>

#include <chrono>
#include <string>

#include "bench/micro/bound.h"
#include "bench/micro/registered.h"
#include "graph/graph.h"
#include "graph/ops/attention.h"
#include "graph/ops/conv2d.h"
#include "graph/ops/embedding.h"
#include "graph/ops/gelu.h"
#include "graph/ops/layer_norm.h"
#include "graph/ops/linear.h"
#include "graph/ops/loss.h"
#include "graph/ops/optimizer.h"
#include "graph/ops/pool.h"
#include "graph/ops/shape.h"
#include "kernels/device.h"

namespace {

using namespace ddlbench;
using graph::Activation;
using graph::DType;
using graph::TensorType;
using micro::Bound;

constexpr std::int64_t batch = 64;

struct NamedBinding {
  std::string name;
  bool by_library;  ///< a convolution or a matrix product; the others are ddlbench's own loops
  kernels::Binding binding;
};

template <class Op, class... Attributes>
graph::OpPtr op(Attributes... attributes) {
  return std::make_shared<Op>(attributes...);
}

void add_convolution(std::vector<NamedBinding>& all, const std::string& name, std::int64_t c, std::int64_t k,
                     std::int64_t h) {
  const graph::ConvolutionAttributes geometry{};
  const std::int64_t p = h - 4, half = p / 2;
  const TensorType x{{batch, c, h, h}}, w{{k, c, 5, 5}}, b{{k}}, y{{batch, k, p, p}};
  const TensorType pooled{{batch, k, half, half}}, argmax{{batch, k, half, half}, DType::u8};
  all.push_back({name, true, {{op<graph::Conv2d>(geometry, true, Activation::relu)}, {x, w, b}, {y}}});
  all.push_back({name + ".pool", false, {{op<graph::MaxPool2d>(graph::PoolAttributes{2, 2})}, {y}, {pooled, argmax}}});
  all.push_back({name + ".pool_backward",
                 false,
                 {{op<graph::MaxPool2dBackward>(graph::PoolAttributes{2, 2}, p, p)}, {pooled, argmax}, {y}}});
  all.push_back({name + ".activation_backward",
                 false,
                 {{op<graph::ActivationBackward>(Activation::relu)}, {pooled, pooled}, {pooled}}});
  if (c > 1) {  // the gradient of the images is not needed
    all.push_back({name + ".backward_input", true, {{op<graph::Conv2dBackwardInput>(geometry, h, h)}, {y, w}, {x}}});
  }
  all.push_back(
      {name + ".backward_weight", true, {{op<graph::Conv2dBackwardWeight>(geometry, 5, true)}, {x, y}, {w, b}}});
}

void add_linear(std::vector<NamedBinding>& all, const std::string& name, std::int64_t in, std::int64_t out,
                Activation f) {
  const TensorType x{{batch, in}}, w{{out, in}}, b{{out}}, y{{batch, out}};
  all.push_back({name, true, {{op<graph::Linear>(true, f)}, {x, w, b}, {y}}});
  if (f != Activation::none) {
    all.push_back({name + ".activation_backward", false, {{op<graph::ActivationBackward>(f)}, {y, y}, {y}}});
  }
  all.push_back({name + ".backward_input", true, {{op<graph::LinearBackwardInput>()}, {y, w}, {x}}});
  all.push_back({name + ".backward_weight", true, {{op<graph::LinearBackwardWeight>(true)}, {x, y}, {w, b}}});
}

std::vector<NamedBinding> lenet() {
  std::vector<NamedBinding> all;
  add_convolution(all, "conv1", 1, 6, 28);
  add_convolution(all, "conv2", 6, 16, 12);
  add_linear(all, "fc1", 256, 120, Activation::relu);
  add_linear(all, "fc2", 120, 84, Activation::relu);
  add_linear(all, "fc3", 84, 10, Activation::none);
  const TensorType logits{{batch, 10}}, labels{{batch}, DType::i32}, scalar{{1}};
  all.push_back({"loss", false, {{op<graph::CrossEntropy>()}, {logits, labels}, {scalar, scalar, scalar}}});
  all.push_back({"loss.backward", false, {{op<graph::CrossEntropyBackward>()}, {logits, labels}, {logits}}});
  const TensorType flat{{44426}};
  all.push_back({"sgd", false, {{graph::sgd({.momentum = 0.9f}).update({})}, {flat, flat, flat}, {flat, flat}}});
  return all;
}

/// One block between embedding and head, with its derivative.
class Transformer {
 public:
  static constexpr std::int64_t texts = 16, positions = 128, hidden = 128, heads = 4, vocabulary = 256;

  std::vector<NamedBinding> ops() && {
    using graph::Role;
    const int tokens = net_.add_tensor({"tokens", {{texts, positions}, DType::i32}, Role::input});
    const int labels = net_.add_tensor({"labels", {{texts, positions}, DType::i32}, Role::label});
    int x = add<graph::Embedding>("embedding", {tokens, parameter({vocabulary, hidden})});
    x = add<graph::AddPositions>("positions", {x, parameter({positions, hidden})});
    int y = linear("c_attn", norm("ln_1", x), hidden, 3 * hidden);
    y = add<graph::Attention>("attention", {y}, hidden / heads);
    x = add<graph::Add>("attention.add", {x, linear("c_proj", y, hidden, hidden)});
    y = add<graph::Gelu>("gelu", {linear("mlp.c_fc", norm("ln_2", x), hidden, 4 * hidden)}, graph::GeluForm::tanh);
    x = add<graph::Add>("mlp.add", {x, linear("mlp.c_proj", y, 4 * hidden, hidden)});
    x = linear("head", x, hidden, vocabulary);
    for (const int metric : net_.add("loss", op<graph::CrossEntropy>(), {x, labels}))
      net_.tensors[static_cast<std::size_t>(metric)].role = Role::metric;

    const graph::Graph training = graph::differentiate(net_);
    std::vector<NamedBinding> all;
    for (const graph::Node& node : training.nodes) {
      const bool by_library = node.op->kind().substr(0, 6) == "linear";
      all.push_back(
          {node.name, by_library, {{node.op}, training.types_of(node.inputs), training.types_of(node.outputs)}});
    }
    return all;
  }

 private:
  int parameter(graph::Shape shape) {
    return net_.add_tensor({"parameter", {std::move(shape)}, graph::Role::parameter});
  }
  template <class Op, class... Attributes>
  int add(const std::string& name, std::vector<int> inputs, Attributes... attributes) {
    return net_.add(name, op<Op>(attributes...), std::move(inputs)).front();
  }
  int norm(const std::string& name, int x) {
    return add<graph::LayerNorm>(name, {x, parameter({hidden}), parameter({hidden})}, 1e-5f);
  }
  int linear(const std::string& name, int x, std::int64_t in, std::int64_t out) {
    return add<graph::Linear>(name, {x, parameter({out, in}), parameter({out})}, true, Activation::none);
  }

  graph::Graph net_;
};

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
  const std::vector<Workload> workloads{{"", lenet(), batch},
                                        {"transformer/", Transformer().ops(), Transformer::texts}};
  for (const auto& kind : kernels::device_kinds()) {
    if (kind.count().devices == 0) continue;
    for (const int threads : {1, 2}) {
      if (threads > 1 && kind.name == "reference") continue;
      kernels::DeviceOptions options;
      options.threads = threads;
      const std::string prefix = kind.name + "/" + std::to_string(threads) + "/";
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
