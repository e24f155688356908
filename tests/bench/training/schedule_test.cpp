#include "bench/training/schedule.h"

#include "catch.h"
#include "graph/error.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

/// A rate of 0.5 over so many epochs.
Training training_of(const std::string& kind, std::int64_t epochs) {
  Training training;
  training.epochs = epochs;
  training.optimizer.learning_rate = 0.5;
  training.schedule.kind = kind;
  return training;
}

void check_rates(const Training& training, std::int64_t steps_per_epoch, const std::vector<double>& expected) {
  const Schedule schedule(training, steps_per_epoch, 64);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    CAPTURE(training.schedule.kind, k);
    CHECK(schedule.rate(static_cast<std::int64_t>(k)) == Approx(expected[k]).epsilon(1e-8));
  }
}

}  // namespace

// Numbers of torch.optim.lr_scheduler 1.13, with a step of it after each step or epoch.
TEST_CASE("schedules have PyTorch's rates") {
  auto step = training_of("step", 8);
  step.schedule.milestones = {3, 5};
  check_rates(step, 1, {0.5, 0.5, 0.5, 0.05, 0.05, 0.005, 0.005, 0.005});  // MultiStepLR
  step.schedule.milestones.clear();
  step.schedule.every_epochs = 3;
  step.schedule.factor = 0.5;
  check_rates(step, 1, {0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.125, 0.125});  // StepLR
  auto cosine = training_of("cosine", 2);
  cosine.schedule.minimum = 0.05;
  check_rates(cosine, 4,
              {0.5, 0.482872895, 0.434099026, 0.361103772, 0.275, 0.188896228, 0.115900974, 0.0671271052, 0.05});
  auto polynomial = training_of("polynomial", 2);
  polynomial.schedule.power = 2;
  check_rates(polynomial, 4, {0.5, 0.3828125, 0.28125, 0.1953125, 0.125, 0.0703125, 0.03125, 0.0078125, 0});
  check_rates(training_of("constant", 1), 3, {0.5, 0.5, 0.5, 0.5});
}

TEST_CASE("a warm-up grows in a straight line, and the schedule is over what is left") {
  auto constant = training_of("constant", 2);
  constant.schedule.warmup_steps = 4;
  constant.schedule.warmup_start = 0.25;
  check_rates(constant, 4, {0.125, 0.21875, 0.3125, 0.40625, 0.5, 0.5, 0.5, 0.5});  // LinearLR
  auto cosine = training_of("cosine", 3);
  cosine.schedule.minimum = 0.05;
  cosine.schedule.warmup_epochs = 1;
  cosine.schedule.warmup_start = 0.25;
  check_rates(cosine, 4,
              {0.125, 0.21875, 0.3125, 0.40625, 0.5, 0.482872895, 0.434099026, 0.361103772, 0.275, 0.188896228,
               0.115900974, 0.0671271052});  // SequentialLR of both
  cosine.schedule.warmup_start = 0;
  CHECK(Schedule(cosine, 4, 64).rate(0) == 0);
}

TEST_CASE("milestones count epochs from the training's beginning") {
  auto step = training_of("step", 4);
  step.schedule.milestones = {2};
  step.schedule.warmup_steps = 2;
  check_rates(step, 3, {0, 0.25, 0.5, 0.5, 0.5, 0.5, 0.05, 0.05});
}

TEST_CASE("linear scaling multiplies by the global batch over the one that the rate is for") {
  auto training = training_of("cosine", 1);
  training.schedule.base_batch = 256;
  training.schedule.minimum = 0.01;
  const Schedule schedule(training, 10, 1024);
  CHECK(schedule.peak() == 2);
  CHECK(schedule.rate(0) == 2);
  CHECK(schedule.rate(1000) == Approx(0.01));
}

TEST_CASE("a warm-up as long as the training is refused") {
  auto training = training_of("constant", 2);
  training.schedule.warmup_steps = 8;
  CHECK_THROWS_AS(Schedule(training, 4, 64), InputError);
  CHECK_NOTHROW(Schedule(training, 5, 64));
}
