#include "bench/launcher/target.h"

#include <limits>

#include "catch.h"

using namespace ddlbench::bench;

namespace {

EpochRecord epoch(int number, double loss, double accuracy) {
  EpochRecord record;
  record.epoch = number;
  record.epoch_seconds = 2;
  record.validation_seconds = 100;
  record.validation_loss = loss;
  record.accuracy_ratio = accuracy;
  return record;
}

TargetWatch after_three(const Target& target) {
  TargetWatch watch(target);
  watch.note(epoch(1, std::numeric_limits<double>::quiet_NaN(), 0.5));
  watch.note(epoch(2, 0.5, 0.75));
  watch.note(epoch(3, 0.6, 0.9));
  return watch;
}

}  // namespace

TEST_CASE("a target is met at the first epoch that reaches it") {
  CHECK(after_three({0.5, {}}).epochs() == 2);
  CHECK(after_three({0.5, {}}).seconds() == 4);  // training time only
  CHECK(after_three({{}, 0.8}).epochs() == 3);
  CHECK(after_three({0.7, 0.8}).epochs() == 3);
  CHECK_FALSE(after_three({0.55, 0.8}).epochs().has_value());
  CHECK_FALSE(after_three({0.4, {}}).seconds().has_value());
  CHECK_FALSE(after_three({}).epochs().has_value());
}

TEST_CASE("a target is described by its conditions") {
  CHECK(describe(Target{}).empty());
  CHECK(describe(Target{0.5, {}}) == "loss 0.5");
  CHECK(describe(Target{0.25, 0.9}) == "loss 0.25 and accuracy 0.9");
}
