#include <cmath>

#include "all_strategies.h"
#include "catch.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/checkpoint/safetensors.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

std::vector<StrategyRun> ways() {
  OptionValues stages = mesh({{"data", 2}, {"pipeline", 2}}, 4);
  stages["zero"] = std::int64_t{1};
  return {{"single", 1, parts(1)}, {"ddp", 2, parts(2)},   {"zero", 2, zero(3, 1)},
          {"tensor", 2, parts(1)}, {"gpipe", 2, parts(4)}, {"hybrid", 4, stages}};
}

SmallCase fp16(const StrategyRun& way, double initial, int growth_interval) {
  SmallCase small = four_layers(way.strategy, way.ranks, way.options);
  small.experiment.training.precision = "fp16";
  small.experiment.training.loss_scale = {"dynamic",
                                          {{"initial", initial}, {"growth_interval", std::int64_t{growth_interval}}}};
  small.experiment.training.optimizer = {"adam", {{"learning_rate", 0.003}}};
  return small;
}

std::string path_in(const SmallCase& small, const std::string& folder, int epochs) {
  return folder + "/" + small.which.id + "-epoch-" + std::to_string(epochs) + ".safetensors";
}

}  // namespace

TEST_CASE("fp16 is certified, also from an initial loss scale that overflows", "[case]") {
  for (const double initial : {1024.0, 0x1p22}) {
    for (const StrategyRun& way : ways()) {
      const SmallCase small = fp16(way, initial, 2000);
      INFO(small.which.id << " from " << initial);
      RecordedProgress heard;
      const Measurement found = run_case(small.experiment, small.which, "", heard);
      INFO(found.certificate_reason);
      CHECK(found.certified);
      CHECK(found.tolerance_loss.value() >= 0x1p-11);
      CHECK_FALSE(found.certificate_statistic);
      const std::int64_t skipped = found.skipped_steps.value();
      CHECK((skipped > 0) == (initial > 1024));
      CHECK(found.final_loss_scale == std::ldexp(initial, -static_cast<int>(skipped)));
      CHECK(heard.epochs.back().loss_scale == found.final_loss_scale);
      CHECK(heard.epochs.back().skipped_steps == skipped);
    }
  }
}

TEST_CASE("a resumed training in fp16 continues with its loss scale, to the bit", "[case]") {
  for (const StrategyRun& way : ways()) {
    const test::TemporaryFolder folder;
    SmallCase whole = fp16(way, 64, 3);
    whole.experiment.training.epochs = 3;
    whole.experiment.training.checkpoint.save = folder / "whole";
    whole.experiment.measure = without_prediction({0, 1, 1, 0, 30});
    SmallCase later = whole;
    later.experiment.training.checkpoint = {
        .save = folder / "later", .load = path_in(whole, folder / "whole", 1), .resume = true};
    INFO(whole.which.id);
    RecordedProgress at_once, resumed;
    run_case(whole.experiment, whole.which, "", at_once);
    run_case(later.experiment, later.which, "", resumed);
    // With two steps per epoch, the third and the sixth step of the training double the scale.
    REQUIRE(at_once.epochs.size() == 3);
    CHECK(at_once.epochs[0].loss_scale == 64);
    CHECK(at_once.epochs[1].loss_scale == 128);
    CHECK(at_once.epochs[2].loss_scale == 256);
    REQUIRE(resumed.epochs.size() == 2);
    CHECK(resumed.epochs[1].loss_scale == 256);
    CHECK(resumed.epochs[1].train_loss == at_once.epochs[2].train_loss);
    const auto digest = [&](const std::string& name) {
      const runtime::SafetensorsReader state(runtime::state_path(path_in(whole, folder / name, 3)));
      return state.metadata().at(runtime::SafetensorsWriter::digest_key);
    };
    CHECK(digest("whole") == digest("later"));
  }
}

TEST_CASE("a checkpoint without a loss scale cannot resume a training in fp16", "[case]") {
  const test::TemporaryFolder folder;
  SmallCase small = fp16({"single", 1, parts(1)}, 64, 3);
  small.experiment.training.epochs = 2;
  small.experiment.training.checkpoint.save = folder / "fp32";
  small.experiment.measure = without_prediction({0, 1, 1, 0, 30});
  SmallCase plain = small;
  plain.experiment.training.precision = "fp32";
  plain.experiment.training.epochs = 1;
  RecordedProgress heard;
  run_case(plain.experiment, plain.which, "", heard);
  CHECK_FALSE(heard.epochs.back().loss_scale);
  small.experiment.training.checkpoint.load = path_in(small, folder / "fp32", 1);
  small.experiment.training.checkpoint.resume = true;
  CHECK_THROWS_WITH(run_case(small.experiment, small.which, "", heard), Catch::Contains("loss_scaler.scale"));
}
