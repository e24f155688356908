#include "bench/launcher/target_watch.h"

#include <limits>

#include "catch.h"

using namespace ddlbench::bench;

namespace {

EpochRecord validated_epoch(int number, double loss, double accuracy) {
  EpochRecord record;
  record.epoch = number;
  record.epoch_seconds = 2;
  record.step = 10 * number;
  record.trained_seconds = 2.0 * number;
  record.validation_seconds = 100;
  record.validation_loss = loss;
  record.accuracy_ratio = accuracy;
  return record;
}

TargetWatch after_three(const Target& target) {
  TargetWatch watch(target);
  watch.note(validated_epoch(1, std::numeric_limits<double>::quiet_NaN(), 0.5));
  watch.note(validated_epoch(2, 0.5, 0.75));
  watch.note(validated_epoch(3, 0.6, 0.9));
  return watch;
}

}  // namespace

TEST_CASE("a target is reached at the first epoch that reaches it") {
  CHECK(after_three({0.5, {}}).epochs() == 2);
  CHECK(after_three({0.5, {}}).seconds() == 4);  // training time only
  CHECK(after_three({0.5, {}}).steps() == 20);
  CHECK(after_three({{}, 0.8}).epochs() == 3);
  CHECK(after_three({0.7, 0.8}).epochs() == 3);
  CHECK_FALSE(after_three({0.55, 0.8}).epochs().has_value());
  CHECK_FALSE(after_three({0.4, {}}).seconds().has_value());
  CHECK_FALSE(after_three({}).epochs().has_value());
}

TEST_CASE("a target is reached within an epoch") {
  TargetWatch watch({{}, 0.7});
  watch.note(validated_epoch(1, 1, 0.5));
  ValidationRecord within;
  within.epoch = 2;
  within.step = 14;
  within.trained_seconds = 2.75;
  within.accuracy_ratio = 0.71;
  watch.note(within);
  watch.note(validated_epoch(2, 0.5, 0.75));
  CHECK(watch.epochs() == 2);
  CHECK(watch.steps() == 14);
  CHECK(watch.seconds() == 2.75);
}

TEST_CASE("a target that an earlier attempt reached stays reached, unless the training repeats that") {
  Records earlier;
  for (const int epoch : {1, 2, 3}) {
    earlier.epochs.push_back(validated_epoch(epoch, 0.5, 0.1 * epoch));
    earlier.epochs.back().case_id = epoch == 1 ? "other" : "own";
  }
  ValidationRecord within;
  within.case_id = "own";
  within.epoch = 2;
  within.step = 15;
  within.accuracy_ratio = 0.25;
  earlier.validations.push_back(within);
  const auto steps_to = [&](double accuracy, std::int64_t resumed_step) {
    TargetWatch watch({{}, accuracy});
    watch.note_earlier(earlier, "own", resumed_step);
    watch.note(validated_epoch(4, 0.5, 1));
    return watch.steps();
  };
  CHECK(steps_to(0.1, 35) == 15);
  CHECK(steps_to(0.3, 35) == 30);
  CHECK(steps_to(0.3, 30) == 40);
}
