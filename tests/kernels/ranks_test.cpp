#include <thread>

#include "catch.h"
#include "graph/ops/conv2d.h"
#include "graph/ops/linear.h"
#include "harness.h"
#include "kernels/device.h"

using namespace ddlbench;

namespace {

using Results = std::vector<std::vector<float>>;

std::vector<test::Run> split_layers() {
  const auto x = test::random_tensor({8, 6, 12, 12}, "x"), w = test::random_tensor({16, 6, 5, 5}, "w");
  const auto dz = test::random_tensor({8, 16, 8, 8}, "dz"), flat = test::random_tensor({8, 256}, "flat");
  const auto dense = test::random_tensor({120, 256}, "dense"), dy = test::random_tensor({8, 120}, "dy");
  const graph::ConvolutionAttributes geometry{};
  return {{std::make_shared<graph::Conv2d>(geometry, false, graph::Activation::relu), {x, w}, {}},
          {std::make_shared<graph::Conv2dBackwardInput>(geometry, 12, 12), {dz, w}, {}},
          {std::make_shared<graph::Conv2dBackwardWeight>(geometry, 5, true), {x, dz}, {}},
          {std::make_shared<graph::Linear>(false, graph::Activation::none), {flat, dense}, {}},
          {std::make_shared<graph::LinearBackwardWeight>(true), {flat, dy}, {}}};
}

/// What a rank computes on its own device, without the checks of the harness: Catch is for one thread.
Results compute(const std::string& kind, int threads) {
  Results results;
  const auto device = test::device(kind, threads);
  for (const auto& layer : split_layers()) {
    std::vector<graph::TensorType> types;
    std::vector<void*> memory;
    const auto add = [&](const std::vector<std::uint8_t>& bytes) {
      memory.push_back(device->allocate(bytes.size()));
      device->copy_in(memory.back(), bytes.data(), bytes.size());
      return memory.back();
    };
    std::vector<const void*> inputs;
    for (const auto& input : layer.inputs) {
      types.push_back(input.type);
      inputs.push_back(add(input.bytes()));
    }
    const auto kernel = device->bind({{layer.op}, types, layer.op->infer(types)});
    std::vector<void*> outputs;
    const auto output_types = layer.op->infer(types);
    for (const auto& type : output_types) outputs.push_back(add(test::zeros(type).bytes()));
    void* workspace = add(std::vector<std::uint8_t>(kernel->workspace_bytes()));
    kernel->launch({inputs.data(), outputs.data(), workspace, nullptr});
    device->finish();
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      std::vector<std::uint8_t> bytes(graph::bytes(output_types[o]));
      device->copy_out(bytes.data(), outputs[o], bytes.size());
      results.push_back(test::HostTensor::from_bytes(output_types[o], bytes).values);
    }
    for (void* block : memory) device->release(block);
  }
  return results;
}

std::vector<Results> compute_on_ranks(const std::string& kind, const std::vector<int>& threads_of_rank) {
  std::vector<Results> results(threads_of_rank.size());
  std::vector<std::thread> ranks;
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    ranks.emplace_back([&, rank] { results[rank] = compute(kind, threads_of_rank[rank]); });
  }
  for (auto& rank : ranks) rank.join();
  return results;
}

}  // namespace

TEST_CASE("ranks in threads, each with its own device, compute the same bits concurrently") {
  for (const auto& kind : test::kinds()) {
    CAPTURE(kind.name);
    const auto results = compute_on_ranks(kind.name, {1, 1, 1, 1});
    for (const auto& result : results) CHECK((result == results[0]));
    const auto pairs = compute_on_ranks(kind.name, {2, 1, 2});
    CHECK((pairs[0] == pairs[2]));
    CHECK((pairs[1] == results[0]));
  }
}

TEST_CASE("ranks report the same workspace, whatever times they measure") {
  for (const auto& kind : test::kinds()) {
    const auto first = test::device(kind.name), second = test::device(kind.name);
    for (const auto& layer : split_layers()) {
      std::vector<graph::TensorType> types;
      for (const auto& input : layer.inputs) types.push_back(input.type);
      const kernels::Binding binding{{layer.op}, types, layer.op->infer(types)};
      CHECK(first->bind(binding)->workspace_bytes() == second->bind(binding)->workspace_bytes());
    }
  }
}

TEST_CASE("kernels count the operations of the shard that they are bound to") {
  const graph::TensorType x{{64, 6, 12, 12}}, w{{8, 6, 5, 5}}, y{{64, 8, 8, 8}};  // half of 16 output channels
  const auto conv = std::make_shared<graph::Conv2d>(graph::ConvolutionAttributes{}, false, graph::Activation::none);
  const auto linear = std::make_shared<graph::Linear>(false, graph::Activation::none);
  for (const auto& kind : test::kinds()) {
    const auto device = test::device(kind.name);
    CHECK(device->bind({{conv}, {x, w}, {y}})->flops() == 9830400);  // 2 · 64·8·8·8 · 6·5·5
    CHECK(device->bind({{linear}, {{{3, 5}}, {{7, 5}}}, {{{3, 7}}}})->flops() == 210);
  }
}
