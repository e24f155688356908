// Gradient codecs on a bucket of 25 MB (PyTorch DDP's size), in bytes of the gradient per second: to encode it, to
// decode one payload, and both; with a residual where the published method has one. For comparison, casts to bf16 and
// back:
//   micro_codecs [--benchmark_filter=cpu/1/one_bit] [--benchmark_counters_tabular=true]

#include <benchmark/benchmark.h>

#include <fmt/core.h>
#include <string>
#include <vector>

#include "bench/micro/bound.h"
#include "bench/micro/registered.h"
#include "graph/ops/cast.h"
#include "graph/ops/codec.h"

namespace {

using namespace ddlbench;
using graph::DType;
using graph::TensorType;

constexpr std::int64_t elements = 25 * 1000 * 1000 / 4;
const TensorType gradient{{elements}};

kernels::Binding binding_of(const graph::OpPtr& op, const std::vector<TensorType>& inputs) {
  return {{op}, inputs, op->infer(inputs)};
}

/// Two ops, of which the second decodes what the first encodes.
struct Pair {
  std::string name;
  kernels::Binding encode, decode;
};

std::vector<Pair> pairs() {
  std::vector<Pair> all;
  const auto add_codec = [&all](const Choice& choice, bool feedback) {
    const graph::Codec codec = graph::make_codec(choice);
    const auto encode = std::make_shared<graph::Encode>(codec, feedback);
    std::vector<TensorType> inputs{gradient};
    if (feedback) inputs.push_back(gradient);
    const TensorType payload{{codec.payload_bytes(elements)}, DType::u8};
    all.push_back({codec.text() + (feedback ? " feedback" : ""), binding_of(encode, inputs),
                   binding_of(std::make_shared<graph::Decode>(codec, elements, 1), {payload})});
  };
  for (const graph::CodecKind& kind : graph::codec_kinds()) {
    add_codec({kind.name, {}}, false);
    if (kind.error_feedback) add_codec({kind.name, {}}, true);
  }
  for (const std::int64_t bits : {2, 8}) add_codec({"qsgd", {{"bits", bits}}}, false);
  const TensorType narrow{{elements}, DType::bf16};
  all.push_back({"cast", binding_of(std::make_shared<graph::Cast>(DType::bf16), {gradient}),
                 binding_of(std::make_shared<graph::Cast>(DType::f32), {narrow})});
  return all;
}

void one(benchmark::State& state, const std::string& kind, int threads, const Pair& pair, bool encodes, bool decodes) {
  kernels::DeviceOptions options;
  options.threads = threads;
  const auto device = kernels::make_device(kind, options);
  micro::Bound first(*device, pair.encode), second(*device, pair.decode);
  second.read(0, first, 0);
  first.launch();
  device->finish();
  for (auto _ : state) {
    if (encodes) first.launch();
    if (decodes) second.launch();
    device->finish();
  }
  constexpr double bytes = elements * 4;
  state.counters["GB/s"] = benchmark::Counter(bytes * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

int main(int argc, char** argv) {
  for (const auto& kind : kernels::device_kinds()) {
    if (kind.count().devices == 0 || kind.name == "reference") continue;
    for (const int threads : kind.asynchronous ? std::vector<int>{1} : std::vector<int>{1, 2}) {
      for (const Pair& pair : pairs()) {
        const auto add = [&](const char* what, bool encodes, bool decodes) {
          const std::string path = fmt::format("{}/{}/{}/{}", kind.name, threads, pair.name, what);
          benchmark::RegisterBenchmark(path.c_str(), one, kind.name, threads, pair, encodes, decodes)->UseRealTime();
        };
        add("encode", true, false);
        add("decode", false, true);
        add("both", true, true);
      }
    }
  }
  return micro::run_registered(argc, argv);
}
