#include <filesystem>

#include "all_strategies.h"
#include "base/error.h"
#include "bench/case/checkpoint_files.h"
#include "bench/case/setup.h"
#include "catch.h"
#include "failure.h"
#include "runtime/checkpoint/checkpoint.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

/// Returns a case with three epochs of ten steps and minimal measurement.
SmallCase learning(const StrategyRun& way, const Target& target) {
  SmallCase small(way.strategy, way.ranks, way.options);
  small.experiment.training.target = target;
  small.experiment.measure = without_prediction({0, 1, 1, 0, 30});
  return small;
}

struct Trained {
  Measurement measurement;
  RecordedProgress progress;
};

Trained trained(const SmallCase& small) {
  Trained result;
  result.measurement = run_case(small.experiment, small.which, "", result.progress);
  return result;
}

}  // namespace

TEST_CASE("Validations within epochs do not change the training", "[case]") {
  for (const StrategyRun& way : std::vector<StrategyRun>{{"single", 1, parts(1)}, {"1f1b", 2, parts(4)}}) {
    const Trained plain = trained(learning(way, {{}, 1.0}));
    const SmallCase checking = learning(way, {{}, 1.0, 4});
    const Trained checked = trained(checking);
    INFO(checking.which.id);
    REQUIRE(plain.progress.validations.empty());
    std::vector<std::int64_t> steps;
    double before = 0;
    for (const ValidationRecord& validation : checked.progress.validations) {
      steps.push_back(validation.step);
      CHECK(validation.epoch == static_cast<int>(validation.step / 10) + 1);
      CHECK(validation.trained_seconds > before);
      CHECK(validation.elapsed_seconds > validation.trained_seconds);
      before = validation.trained_seconds;
    }
    CHECK(steps == std::vector<std::int64_t>{4, 8, 12, 16, 24, 28});  // step 20 ends an epoch
    CHECK(prepare(checking.experiment, checking.which).validations() == 6 + 3);
    REQUIRE(checked.progress.epochs.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(checked.progress.epochs[i].train_loss == plain.progress.epochs[i].train_loss);
      CHECK(checked.progress.epochs[i].validation_loss == plain.progress.epochs[i].validation_loss);
      CHECK(checked.progress.epochs[i].step == 10 * static_cast<std::int64_t>(i + 1));
    }
    const double end = checked.progress.fractions.back();  // when the last validation began
    CHECK((end > 0.95 && end < 1));
  }
}

TEST_CASE("A training stops at its target, at the end of an epoch or within it", "[case]") {
  const StrategyRun way{"ddp", 2, parts(1)};
  const Trained whole = trained(learning(way, {{}, 1.0, 4}));
  REQUIRE(whole.progress.epochs.size() == 3);
  const EpochRecord& first = whole.progress.epochs.front();
  const ValidationRecord& within = whole.progress.validations[0];
  REQUIRE(within.validation_loss > first.validation_loss);

  const test::TemporaryFolder folder;
  const auto stopping = [&](const Target& target) {
    SmallCase small = learning(way, target);
    small.experiment.training.stop_at_target = true;
    small.experiment.training.checkpoint.save = folder.path();
    small.experiment.training.checkpoint.every_epochs = 2;
    return small;
  };
  const SmallCase at_end = stopping({first.validation_loss, {}});
  const Trained stopped = trained(at_end);
  REQUIRE(stopped.progress.epochs.size() == 1);
  CHECK(stopped.measurement.epoch_seconds_source == "measured");
  CHECK(stopped.measurement.final_validation_loss == first.validation_loss);
  CHECK(std::filesystem::exists(folder / (at_end.which.id + "-epoch-1.safetensors")));  // not a multiple of 2

  const SmallCase inside = stopping({within.validation_loss, {}, 4});
  const Trained early = trained(inside);
  CHECK(early.progress.epochs.empty());
  REQUIRE(early.progress.validations.size() == 1);
  CHECK(early.measurement.epoch_seconds_source == "extrapolated");
  CHECK(early.measurement.epoch_seconds ==
        Approx(early.progress.validations[0].trained_seconds / 4 * 10).epsilon(1e-12));
  CHECK(early.measurement.final_train_loss == within.train_loss);
  CHECK(early.measurement.final_validation_loss == within.validation_loss);
  const std::string saved = folder / (inside.which.id + "-step-4.safetensors");
  CHECK(runtime::origin_of(saved).step == 4);

  SmallCase resumed = inside;
  resumed.experiment.training.checkpoint.load = saved;
  resumed.experiment.training.checkpoint.resume = true;
  const Trained again = trained(resumed);  // begins with the validation that reached the target
  CHECK(again.progress.epochs.empty());
  CHECK(again.progress.validations.at(0).validation_loss == within.validation_loss);
  CHECK(again.measurement.final_train_loss == within.train_loss);
  CHECK(again.measurement.epoch_seconds == early.measurement.epoch_seconds);
  SmallCase other = inside;
  other.which.contract_id = "other";
  test::check_says(test::failure_of<InputError>([&] { require_own_checkpoints(other.experiment, {other.which}); }),
                   "-1.safetensors is from another training");
  std::filesystem::remove(folder / (at_end.which.id + "-epoch-1.safetensors"));
  test::check_says(test::failure_of<InputError>([&] { require_own_checkpoints(other.experiment, {other.which}); }),
                   "-step-4.safetensors is from another training");
  require_own_checkpoints(inside.experiment, {inside.which});
}

TEST_CASE("The times of a resumed training count from the beginning", "[case]") {
  const test::TemporaryFolder folder;
  SmallCase small = learning({"single", 1, parts(1)}, {});
  small.experiment.training.checkpoint.save = folder.path();
  const Trained whole = trained(small);
  const std::string path = folder / (small.which.id + "-epoch-2.safetensors");
  const EpochRecord &second = whole.progress.epochs.at(1), &third = whole.progress.epochs.at(2);
  CHECK(third.trained_seconds.value() == Approx(second.trained_seconds.value() + third.epoch_seconds).epsilon(1e-12));
  CHECK(runtime::origin_of(path).trained_seconds == second.trained_seconds.value());

  small.experiment.training.checkpoint = {.load = path, .resume = true};
  const Trained later = trained(small);
  REQUIRE(later.progress.epochs.size() == 1);
  const EpochRecord& resumed = later.progress.epochs.front();
  CHECK(resumed.step == 30);
  CHECK(resumed.trained_seconds.value() ==
        Approx(second.trained_seconds.value() + resumed.epoch_seconds).epsilon(1e-12));
  CHECK(resumed.elapsed_seconds > runtime::origin_of(path).elapsed_seconds + resumed.epoch_seconds);
}
