#include <fstream>

#include "all_strategies.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

constexpr const char* normalised_convolution = R"({
  "name": "normalised", "sample": {"shape": [1, 8, 8], "classes": 4},
  "layers": [
    {"kind": "conv2d", "name": "conv1", "channels": 4, "kernel": 3, "padding": 1, "bias": false},
    {"kind": "batch_norm", "name": "bn1", "activation": "relu"},
    {"kind": "flatten"},
    {"kind": "linear", "name": "fc", "features": "$classes"}
  ]
})";

}  // namespace

TEST_CASE("running statistics are part of the certificate", "[case]") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "network.json") << normalised_convolution;
  for (const char* precision : {"fp32", "fp16"}) {
    for (const StrategyRun& way :
         {StrategyRun{"single", 1, parts(1)}, StrategyRun{"ddp", 2, parts(1)}, StrategyRun{"zero", 2, zero(3, 1)}}) {
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
  }
}
