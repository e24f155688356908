#include <array>
#include <cmath>
#include <sstream>

#include "all_strategies.h"
#include "catch.h"
#include "exact_models.h"
#include "exact_runs.h"
#include "graph/random.h"
#include "strategies/inter_layer/schedules.h"
#include "workloads/tiny_idx.h"

using namespace ddlbench;

namespace {

/// Returns the unbiased variance of a channel of the last batch of images [2, 6, 6], in two passes in f64.
double last_variance(const test::Training& training, std::int64_t channel) {
  const std::int64_t first = (training.steps - 1) * training.batch, pixels = 36;
  const auto each = [&](const auto& body) {
    for (std::int64_t sample = first; sample < first + training.batch; ++sample)
      for (std::int64_t i = 0; i < pixels; ++i) body(double{test::value_of(training, sample, channel * pixels + i)});
  };
  const auto count = static_cast<double>(training.batch * pixels);
  double mean = 0, m2 = 0;
  each([&](double value) { mean += value / count; });
  each([&](double value) { m2 += (value - mean) * (value - mean); });
  return m2 / (count - 1);
}

/// Writes random 8x8 grey images with labels of 4 classes as idx files.
void write_images(const std::string& folder) {
  const std::uint64_t key = graph::random_key(1, graph::Purpose::synthetic_data, "bytes");
  std::uint64_t drawn = 0;
  for (const auto& [split, count] : {std::pair{"train", 200u}, {"t10k", 50u}}) {
    workloads::Bytes pixels(count * 64), labels(count);
    for (auto& pixel : pixels) pixel = static_cast<std::uint8_t>(graph::philox(key, 0, drawn++).v[0]);
    for (auto& label : labels) label = static_cast<std::uint8_t>(graph::philox(key, 1, drawn++).v[0] % 4);
    const std::filesystem::path path = folder;
    workloads::write_plain(path / (std::string(split) + "-images-idx3-ubyte"),
                           workloads::idx_bytes({count, 8, 8}, pixels));
    workloads::write_plain(path / (std::string(split) + "-labels-idx1-ubyte"), workloads::idx_bytes({count}, labels));
  }
}

constexpr const char* network = R"({
  "name": "normalised", "sample": {"shape": [1, 8, 8], "classes": 4},
  "layers": [
    {"kind": "batch_norm", "name": "bn", "momentum": 1},
    {"kind": "flatten"},
    {"kind": "linear", "name": "fc1", "features": 12, "activation": "relu"},
    {"kind": "linear", "name": "fc2", "features": "$classes"}
  ]
})";

}  // namespace

TEST_CASE("batch norm of data far from zero has f64's variance and one rank's gradients under every strategy", "[N1]") {
  for (const float mean : {0.3F, 69.0F, -230.0F, 690.0F, -6900.0F}) {  // for data with a standard deviation of 0.7
    const test::Training training{test::images_around(8, mean), graph::sgd({}), 8, 3, 1, {}, mean};
    const test::Outcome whole = test::outcome_of(training, {});
    for (const auto& [data, tensor, pipeline, stage] : std::vector<std::array<int, 4>>{
             {1, 1, 1, 0}, {2, 1, 1, 0}, {4, 1, 1, 0}, {1, 2, 1, 0}, {2, 2, 1, 0}, {2, 1, 2, 0}, {2, 1, 1, 3}}) {
      strategies::StrategySpec spec;
      spec.mesh.batch = data, spec.mesh.features = tensor, spec.mesh.stages = pipeline;
      spec.state.stage = stage;
      if (pipeline > 1) spec.pipeline.schedule = strategies::find_schedule("gpipe").schedule;
      std::ostringstream words;
      words << "mean " << mean << " data " << data << " tensor " << tensor << " pipeline " << pipeline << " zero "
            << stage;
      const test::Outcome found = test::outcome_of(training, spec);
      CHECK(test::difference(found, whole, 1e-5, words.str()) == "");
      const std::vector<float>& variances = found.statistics.at("bn1.running_var");
      for (const std::int64_t channel : {0, 1}) {
        CAPTURE(words.str(), channel);
        CHECK(variances.at(static_cast<std::size_t>(channel)) ==
              Approx(last_variance(training, channel)).epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("certificates of batch norm hold for data far from zero", "[case][N1]") {
  const test::TemporaryFolder folder;
  write_images(folder / "");
  std::ofstream(folder / "network.json") << network;
  using bench::StrategyRun;
  for (const char* kind : {"reference", "cpu"}) {
    for (const double mean : {-100.0, -3000.0}) {
      for (const StrategyRun& way : {StrategyRun{"ddp", 2, bench::parts(1)},
                                     StrategyRun{"hybrid", 4, bench::mesh({{"data", 2}, {"tensor", 2}}, 1)}}) {
        bench::SmallCase small = bench::four_layers(way.strategy, way.ranks, way.options);
        small.experiment.workload.model = {"graph", {{"file", folder / "network.json"}}};
        small.experiment.workload.dataset = {
            "idx", {{"path", folder / ""}, {"classes", std::int64_t{4}}, {"mean", mean}, {"std", 0.3081}}};
        small.experiment.devices.kind = kind;
        bench::RecordedProgress heard;
        const bench::Measurement found = bench::run_case(small.experiment, small.which, "", heard);
        INFO(kind << " " << small.which.id << " on " << way.ranks << " around " << mean << ": "
                  << found.certificate_reason);
        CHECK(found.certified);
      }
    }
  }
}
