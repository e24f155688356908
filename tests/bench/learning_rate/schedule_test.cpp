#include "bench/learning_rate/schedule.h"

#include "base/error.h"
#include "catch.h"
#include "failure.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

struct ScheduledRun {
  RateSettings settings;
  std::int64_t epochs = 1;
  OptionValues& options() { return settings.schedule.options; }
};

ScheduledRun scheduled_run(const std::string& kind, std::int64_t epochs) {
  ScheduledRun run{{}, epochs};
  run.settings.schedule = {kind, {}};
  return run;
}

/// Returns a schedule with a learning rate of 0.5.
Schedule schedule_of(const ScheduledRun& run, std::int64_t steps_per_epoch, std::int64_t global_batch = 64) {
  return {run.settings, 0.5, {run.epochs, steps_per_epoch, global_batch}};
}

void check_rates(const ScheduledRun& run, std::int64_t steps_per_epoch, const std::vector<double>& expected) {
  const Schedule schedule = schedule_of(run, steps_per_epoch);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    CAPTURE(run.settings.schedule.kind, k);
    CHECK(schedule.rate(static_cast<std::int64_t>(k)) == Approx(expected[k]).epsilon(1e-8));
  }
}

}  // namespace

// The numbers are from torch.optim.lr_scheduler 1.13, with one scheduler step after each step or epoch.
TEST_CASE("schedules match PyTorch's") {
  auto step = scheduled_run("step", 8);
  step.options()["milestones"] = Integers{3, 5};
  check_rates(step, 1, {0.5, 0.5, 0.5, 0.05, 0.05, 0.005, 0.005, 0.005});  // MultiStepLR
  step.options()["milestones"] = Integers{};
  step.options()["every_epochs"] = std::int64_t{3};
  step.options()["factor"] = 0.5;
  check_rates(step, 1, {0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.125, 0.125});  // StepLR
  auto cosine = scheduled_run("cosine", 2);
  cosine.options()["minimum"] = 0.05;
  check_rates(cosine, 4,
              {0.5, 0.482872895, 0.434099026, 0.361103772, 0.275, 0.188896228, 0.115900974, 0.0671271052, 0.05});
  auto polynomial = scheduled_run("polynomial", 2);
  polynomial.options()["power"] = 2.0;
  check_rates(polynomial, 4, {0.5, 0.3828125, 0.28125, 0.1953125, 0.125, 0.0703125, 0.03125, 0.0078125, 0});
  check_rates(scheduled_run("constant", 1), 3, {0.5, 0.5, 0.5, 0.5});
}

TEST_CASE("a warm-up is linear, and the schedule covers the remaining steps") {
  auto constant = scheduled_run("constant", 2);
  constant.settings.warmup_steps = 4;
  constant.settings.warmup_start = 0.25;
  check_rates(constant, 4, {0.125, 0.21875, 0.3125, 0.40625, 0.5, 0.5, 0.5, 0.5});  // LinearLR
  auto cosine = scheduled_run("cosine", 3);
  cosine.options()["minimum"] = 0.05;
  cosine.settings.warmup_epochs = 1;
  cosine.settings.warmup_start = 0.25;
  check_rates(cosine, 4,
              {0.125, 0.21875, 0.3125, 0.40625, 0.5, 0.482872895, 0.434099026, 0.361103772, 0.275, 0.188896228,
               0.115900974, 0.0671271052});  // SequentialLR of both
  cosine.settings.warmup_start = 0;
  CHECK(schedule_of(cosine, 4).rate(0) == 0);
}

// The numbers are from the formula of transformers' get_cosine_with_hard_restarts_schedule_with_warmup.
TEST_CASE("a cosine restarts once per cycle, over the steps after the warm-up") {
  auto cosine = scheduled_run("cosine", 4);
  cosine.options()["cycles"] = std::int64_t{3};
  cosine.settings.warmup_epochs = 1;
  check_rates(cosine, 4,
              {0, 0.125, 0.25, 0.375, 0.5, 0.426776695, 0.25, 0.073223305, 0.5, 0.426776695, 0.25, 0.073223305, 0.5,
               0.426776695, 0.25, 0.073223305, 0});
  cosine = scheduled_run("cosine", 2);
  cosine.options()["cycles"] = std::int64_t{2};
  cosine.options()["minimum"] = 0.05;
  check_rates(cosine, 4, {0.5, 0.434099026, 0.275, 0.115900974, 0.5, 0.434099026, 0.275, 0.115900974, 0.05, 0.05});
}

TEST_CASE("rounding does not turn a restart of a cosine into the end of the previous cycle") {
  auto cosine = scheduled_run("cosine", 49);  // 49 · (1 / 49) < 1
  cosine.options()["cycles"] = std::int64_t{49};
  check_rates(cosine, 1, std::vector<double>(49, 0.5));
}

TEST_CASE("a cosine with more cycles than steps is rejected") {
  auto cosine = scheduled_run("cosine", 5);
  cosine.options()["cycles"] = std::int64_t{11};
  CHECK(ddlbench::test::failure_of([&] { schedule_of(cosine, 2, 1); }).find("and the training has 10;") !=
        std::string::npos);
}

TEST_CASE("milestones count epochs from the start of the training") {
  auto step = scheduled_run("step", 4);
  step.options()["milestones"] = Integers{2};
  step.settings.warmup_steps = 2;
  check_rates(step, 3, {0, 0.25, 0.5, 0.5, 0.5, 0.5, 0.05, 0.05});
}

TEST_CASE("linear scaling multiplies by the global batch over the batch that the rate is for") {
  auto run = scheduled_run("cosine", 1);
  run.settings.scale_with_batch = 256;
  run.options()["minimum"] = 0.01;
  const Schedule schedule = schedule_of(run, 10, 1024);
  CHECK(schedule.peak() == 2);
  CHECK(schedule.rate(0) == 2);
  CHECK(schedule.rate(1000) == Approx(0.01));
}

TEST_CASE("a warm-up as long as the training is rejected") {
  auto run = scheduled_run("constant", 2);
  run.settings.warmup_steps = 8;
  CHECK_THROWS_AS(schedule_of(run, 4), InputError);
  CHECK_NOTHROW(schedule_of(run, 5));
}
