// Bytes per second of each memory-bound kernel, on operands several times larger than the last-level cache, next to a
// plain copy of the same size:
//   micro_memory [--benchmark_filter=cuda] [--benchmark_counters_tabular=true]

#include <benchmark/benchmark.h>

#include <fmt/core.h>
#include <string>

#include "bench/micro/beyond_cache.h"
#include "bench/micro/bound.h"
#include "bench/micro/registered.h"
#include "graph/ops/activation.h"
#include "graph/ops/embedding.h"
#include "graph/ops/gelu.h"
#include "graph/ops/layer_norm.h"
#include "graph/ops/loss.h"
#include "graph/ops/normalise.h"
#include "graph/ops/optimizer.h"
#include "graph/ops/pool.h"
#include "graph/ops/shape.h"

namespace {

using namespace ddlbench;
using graph::Activation;
using graph::DType;
using graph::TensorType;

struct NamedBinding {
  std::string name;
  kernels::Binding binding;
};

class Bindings {
 public:
  template <class Op>
  void add(Op op, std::vector<TensorType> inputs, std::vector<TensorType> outputs, const std::string& suffix = "") {
    const auto shared = std::make_shared<Op>(std::move(op));
    all_.push_back({std::string(shared->kind()) + suffix, {{shared}, std::move(inputs), std::move(outputs)}});
  }
  std::vector<NamedBinding> take() { return std::move(all_); }

 private:
  std::vector<NamedBinding> all_;
};

/// Returns ops with operands of 64 MiB and more, times `growth`.
std::vector<NamedBinding> bindings(std::int64_t growth) {
  constexpr std::int64_t features = 1024, classes = 32768;
  const std::int64_t rows = 16384 * growth, samples = 64 * growth, texts = rows / features, vocabulary = 32768 * growth;
  const TensorType flat{{rows * features}}, x{{rows, features}}, text{{texts, features, features}}, one{{1}};
  const TensorType row{{features}}, statistic{{rows}}, tokens{{texts, features}, DType::i32};
  const TensorType images{{samples, 64, 64, 64}}, channels{{64}}, pooled{{samples, 64, 32, 32}};
  const TensorType normalised{{2 * samples, 3, 224, 224}}, photos{normalised.shape, DType::u8};
  const TensorType argmax{pooled.shape, DType::u8}, table{{vocabulary, features}};
  const TensorType logits{{rows / 32, classes}}, labels{{rows / 32}, DType::i32};
  using graph::Features, graph::GeluForm;

  Bindings all;
  all.add(graph::Slice(0, 1, 0), {x}, {x}, " (copy)");
  all.add(graph::Slice(1, 2, 1), {x}, {{{rows, features / 2}}});
  all.add(graph::SplitParts(1, 4), {x}, {x});
  all.add(graph::JoinParts(1, 4), {x}, {x});
  all.add(graph::Add(), {x, x}, {x});
  all.add(graph::ActivationBackward(Activation::relu), {x, x}, {x});
  for (const auto form : {GeluForm::exact, GeluForm::tanh}) {
    all.add(graph::Gelu(form), {x}, {x}, form == GeluForm::exact ? " exact" : " tanh");
    all.add(graph::GeluBackward(form), {x, x}, {x}, form == GeluForm::exact ? " exact" : " tanh");
  }
  all.add(graph::BiasActivation(Activation::relu, Features::last), {x, row}, {x}, " last");
  all.add(graph::BiasActivation(Activation::relu, Features::second), {images, channels}, {images}, " second");
  all.add(graph::BiasBackward(Features::last), {x}, {row}, " last");
  all.add(graph::BiasBackward(Features::second), {images}, {channels}, " second");
  all.add(graph::MaxPool2d(graph::PoolAttributes{2, 2}), {images}, {pooled, argmax});
  all.add(graph::MaxPool2dBackward(graph::PoolAttributes{2, 2}, 64, 64), {pooled, argmax}, {images});
  all.add(graph::Normalise({{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}}, DType::f32), {photos}, {normalised});
  all.add(graph::Embedding(), {tokens, table}, {text});
  all.add(graph::EmbeddingBackwardWeight(vocabulary), {tokens, text}, {table});
  all.add(graph::AddPositions(), {text, {{features, features}}}, {text});
  all.add(graph::AddPositionsBackwardWeight(), {text}, {{{features, features}}});
  all.add(graph::LayerNorm(1e-5f), {x, row, row}, {x, statistic, statistic});
  all.add(graph::LayerNormBackwardInput(), {x, x, row, statistic, statistic}, {x});
  all.add(graph::LayerNormBackwardWeight(), {x, x, statistic, statistic}, {row, row});
  all.add(graph::CrossEntropy(), {logits, labels}, {one, one, one});
  all.add(graph::CrossEntropyBackward(), {logits, labels}, {logits});
  all.add(graph::SgdUpdate(0.9f, false, 0.0f, {}, {}), {flat, flat, flat}, {flat, flat});
  all.add(graph::AdamUpdate(0.9f, 0.999f, 1e-8f, 0.0f, false, {}, {}), {flat, flat, flat, flat}, {flat, flat, flat});
  return all.take();
}

/// Returns the same ops, each with operands grown beyond a cache of `cache_bytes`.
std::vector<NamedBinding> bindings_beyond(std::int64_t cache_bytes) {
  std::vector<NamedBinding> all = bindings(1);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto bytes = static_cast<std::int64_t>(micro::bytes_moved(all[i].binding));
    all[i] = bindings(micro::growth_beyond(cache_bytes, bytes))[i];
  }
  return all;
}

/// Times launches in batches, so that the host's wait at the end of a batch is amortised.
void one_op(benchmark::State& state, const std::string& kind, const kernels::Binding& binding) {
  const auto device = kernels::make_device(kind, {});
  micro::Bound bound(*device, binding);
  const int batch = device->asynchronous() ? 20 : 1;
  bound.launch();
  device->finish();
  while (state.KeepRunningBatch(batch)) {
    for (int i = 0; i < batch; ++i) bound.launch();
    device->finish();
  }
  const double bytes = micro::bytes_moved(binding);
  state.counters["MB"] = bytes * 1e-6;
  state.counters["GB/s"] = benchmark::Counter(bytes * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

int main(int argc, char** argv) {
  for (const auto& kind : kernels::device_kinds()) {
    if (kind.name == "reference" || kind.count().devices == 0) continue;
    for (const auto& named : bindings_beyond(micro::cache_bytes(*kind.make({})))) {
      benchmark::RegisterBenchmark((fmt::format("{}/{}", kind.name, named.name)).c_str(), one_op, kind.name,
                                   named.binding)
          ->UseRealTime();
    }
  }
  return micro::run_registered(argc, argv);
}
