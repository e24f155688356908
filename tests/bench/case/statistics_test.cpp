#include <fmt/core.h>
#include <fstream>

#include "all_strategies.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

std::string normalised_convolutions(int count, int samples_per_statistic) {
  const auto layers = [samples_per_statistic](int number) {
    return fmt::format(R"(
    {{"kind": "conv2d", "name": "conv{0}", "channels": 4, "kernel": 3, "padding": 1, "bias": false}},
    {{"kind": "batch_norm", "name": "bn{0}", "activation": "relu", "samples_per_statistic": {1}}},)",
                       number, samples_per_statistic);
  };
  return R"({"name": "normalised", "sample": {"shape": [1, 8, 8], "classes": 4}, "layers": [)" + layers(1) +
         (count > 1 ? layers(2) : "") +
         R"(
    {"kind": "flatten"},
    {"kind": "linear", "name": "fc", "features": "$classes"}
  ]})";
}

void check_statistics(const StrategyRun& way, const std::string& precision, int layers, int samples_per_statistic) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "network.json") << normalised_convolutions(layers, samples_per_statistic);
  SmallCase small = four_layers(way.strategy, way.ranks, way.options);
  small.experiment.workload.model = {"graph", {{"file", folder / "network.json"}}};
  small.experiment.training.precision = precision;
  small.experiment.training.loss_scale.options["initial"] = 1024.0;
  INFO(small.which.id << " in " << precision);
  RecordedProgress heard;
  const Measurement found = run_case(small.experiment, small.which, "", heard);
  INFO(found.certificate_reason);
  CHECK(found.certified);
  CHECK(found.certificate_statistic.value() <= found.tolerance_statistic.value());
  CHECK(found.tolerance_statistic.value() >= 1e-3);
  CHECK(found.noise_statistic.value() > 0);
}

}  // namespace

TEST_CASE("running statistics are part of the certificate", "[case]") {
  for (const char* precision : {"fp32", "fp16"})
    for (const StrategyRun& way :
         {StrategyRun{"single", 1, parts(1)}, StrategyRun{"ddp", 2, parts(1)}, StrategyRun{"zero", 2, zero(3, 1)}})
      check_statistics(way, precision, 1, 0);
}

TEST_CASE("copies of the model on several ranks observe the running statistics of one", "[case]") {
  for (const StrategyRun& way : {StrategyRun{"chimera", 2, parts(2)}, StrategyRun{"gems", 2, parts(2)},
                                 StrategyRun{"1f1b", 3, with_ranks_per_stage(parts(2), {2, 1})},
                                 StrategyRun{"gpipe", 2, with_ranks_per_stage(parts(2), {2})},
                                 StrategyRun{"pipedream", 3, with_ranks_per_stage(parts(2), {1, 2})}})
    check_statistics(way, "fp32", 2, 2);
}
