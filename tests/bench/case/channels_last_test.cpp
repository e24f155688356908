#include <filesystem>
#include <fstream>
#include <iterator>

#include "bench/case/setup.h"
#include "catch.h"
#include "comm/communicator.h"
#include "exact_models.h"
#include "exact_runs.h"
#include "runtime/checkpoint/checkpoint.h"
#include "temporary_folder.h"

using namespace ddlbench;

namespace {

/// Returns ZeRO 3 over two ranks, whose shards cut filters anywhere.
strategies::StrategySpec sharded() {
  strategies::StrategySpec spec;
  spec.mesh.batch = 2;
  spec.state.stage = 3;
  spec.sync.buckets = {256, 1024};
  return spec;
}

test::Training training_of(graph::DType dtype, std::int64_t channel_block) {
  test::Training training;
  training.model = graph::in_precision(test::pooled_images(8), dtype);
  training.optimizer = graph::sgd({.momentum = 0.9F});
  training.channel_block = channel_block;
  return training;
}

/// Calls `body` with an engine on each rank, whose weights are drawn from `seed`.
template <class Body>
void on_each_rank(const test::Training& training, const strategies::StrategySpec& spec, std::uint64_t seed,
                  const Body& body) {
  const program::CostTable unknown;
  program::Plan plan = strategies::compile(
      {training.model, training.batch, spec.mesh.batch, training.optimizer, unknown, training.channel_block}, spec);
  comm::find_transport("threads").launch(spec.mesh.batch, {}, [&](comm::Communicator& world) {
    const auto device = test::reference_device();
    bench::complete(plan, *device, world, bench::Sharing::one_plan);
    runtime::Engine engine(plan, *device, world);
    engine.initialize(seed);
    body(engine, world);
  });
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("channels-last training with GPU kernels equals row-major training on the reference device") {
  for (const auto& [dtype, tolerance] : {std::pair{graph::DType::f32, 2e-4}, {graph::DType::bf16, 0.15}}) {
    const test::Outcome rows = test::outcome_of(training_of(dtype, 1), {});
    for (const strategies::StrategySpec& spec : {strategies::StrategySpec{}, sharded()}) {
      test::Training training = training_of(dtype, graph::all_channels);
      training.device = test::device_of_own_kernels;
      const std::string words = std::string(graph::name(dtype)) + ", ranks " + std::to_string(spec.mesh.batch);
      CHECK(test::difference(test::outcome_of(training, spec), rows, tolerance, words) == "");
    }
  }
}

TEST_CASE("initial weights and files are the same whether channels are last or not") {
  const test::TemporaryFolder folder;
  const runtime::Origin origin{"0.1.0", "images", "{}", "sgd", "abc", 0, 0, 8};
  const auto path = [&](const std::string& name) { return (folder / name) + ".safetensors"; };
  struct StrategyRun {
    std::string name;
    std::int64_t channel_block;
    strategies::StrategySpec spec;
  };
  const std::vector<StrategyRun> ways{
      {"rows", 1, {}}, {"last", graph::all_channels, {}}, {"sharded", graph::all_channels, sharded()}};
  for (const StrategyRun& way : ways) {
    on_each_rank(training_of(graph::DType::f32, way.channel_block), way.spec, 1,
                 [&](runtime::Engine& engine, comm::Communicator& world) {
                   runtime::save(engine, world, path(way.name), origin, {});
                 });
    CHECK(bytes_of(path(way.name)) == bytes_of(path("rows")));
  }
  for (const StrategyRun& way : ways) {
    on_each_rank(training_of(graph::DType::f32, way.channel_block), way.spec, 2,
                 [&](runtime::Engine& engine, comm::Communicator& world) {
                   runtime::load(engine, world, path("rows"), runtime::Part::everything, {});
                   runtime::save(engine, world, path(way.name + ".again"), origin, {});
                 });
    CHECK(bytes_of(path(way.name + ".again")) == bytes_of(path("rows")));
  }
}
