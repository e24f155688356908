#include "bench/launcher/time_slice_plan.h"

#include "catch.h"

using namespace ddlbench::bench;

namespace {

using std::chrono::milliseconds;

constexpr SliceConditions usual{
    .visit_seconds = 0.5, .longest_visit_seconds = 1, .timeout_seconds = 60, .available_bytes = 1000};

}  // namespace

TEST_CASE("time slices suit the slowest steps") {
  const SlicePlan fast = plan_time_slices({{.step_seconds = 0.001}, {.step_seconds = 0.002}}, usual);
  CHECK(fast.time_slice == milliseconds(50));
  CHECK(fast.visit_seconds == 0.5);
  const SlicePlan slow = plan_time_slices({{.step_seconds = 0.001}, {.step_seconds = 0.025}}, usual);
  CHECK(slow.time_slice == milliseconds(200));
  CHECK(slow.visit_seconds == Approx(0.8));
  const SlicePlan slower = plan_time_slices({{.step_seconds = 0.001}, {.step_seconds = 0.04}}, usual);
  CHECK_FALSE(slower.time_slice);
  CHECK(slower.visit_seconds == 0.5);
  CHECK(slower.why_no_slices == "their steps are so slow that time slices need visits of 2 s (measure/visit_seconds)");
}

TEST_CASE("all cases together need the memory of each") {
  const SlicedCase one{.step_seconds = 0.001, .memory_bytes = 200};
  CHECK(plan_time_slices({one, one, one, one}, usual).time_slice);
  CHECK(plan_time_slices({one, one, one, one, one}, usual).why_no_slices ==
        "the memory does not suffice for all at once");
}

TEST_CASE("a case is suspended for less than its timeout") {
  const SlicedCase one{.step_seconds = 0.01, .setup_seconds = 5};
  CHECK(plan_time_slices({one, one, one}, usual).time_slice);
  CHECK(plan_time_slices({one, one, one, one}, usual).why_no_slices ==
        "they are so slow that time slices need a measure/timeout_seconds of 80");
  const std::vector<SlicedCase> many(200, SlicedCase{.step_seconds = 0.01});
  CHECK(plan_time_slices(many, usual).why_no_slices ==
        "they are so slow that time slices need a measure/timeout_seconds of 64");
}

TEST_CASE("steps that are timed together are not cut") {
  const SlicePlan plan = plan_time_slices({{.step_seconds = 0.002}, {.step_seconds = 0.002, .cycle_steps = 8}}, usual);
  CHECK(plan.time_slice == milliseconds(128));
}

TEST_CASE("the case that is most in the way is named") {
  const SlicedCase small{.step_seconds = 0.002, .setup_seconds = 1, .memory_bytes = 10};
  SlicedCase large = small, late = small, slow = small, on_gpu = small, many = small;
  large.memory_bytes = 900;
  late.setup_seconds = 20;
  slow.step_seconds = 1;
  on_gpu.why_unstoppable = "a GPU";
  many.processes = 255;
  for (const SlicedCase& other : {large, late, slow, on_gpu, many}) {
    const SlicePlan plan = plan_time_slices({small, other, small}, usual);
    CHECK_FALSE(plan.time_slice);
    CHECK(plan.obstacle == 1);
  }
}
