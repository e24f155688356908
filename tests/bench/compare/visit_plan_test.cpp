#include "bench/compare/visit_plan.h"

#include "catch.h"
#include "run_fixtures.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

using std::chrono::milliseconds;

CaseRecord case_taking(double step_milliseconds) {
  CaseRecord record = test::finished_case("ddp", 2, step_milliseconds, 0.1);
  record.device = "cpu";
  record.transport = "threads";
  record.measurement->peak_memory_bytes = 1000;
  record.measurement->host_memory.reset();
  return record;
}

VisitPlan plan(const CaseRecord& before, const CaseRecord& after, VisitConditions conditions) {
  conditions.available_bytes = 1'000'000'000;
  return plan_visits({&before, &after, ""}, conditions);
}

VisitPlan plan(const CaseRecord& before, const CaseRecord& after, double visit_seconds = 0.5) {
  return plan(before, after, VisitConditions{.visit_seconds = visit_seconds});
}

}  // namespace

TEST_CASE("a visit's steps take the time that was asked for") {
  const VisitPlan visits = plan(case_taking(1), case_taking(2));
  CHECK(visits.old_steps == 500);
  CHECK(visits.new_steps == 250);
  CHECK(visits.time_slice == milliseconds(50));
  CHECK(plan(case_taking(1), case_taking(1), 20).old_steps == 20'000);
  CHECK(plan(case_taking(1), case_taking(1), 0.04).time_slice == milliseconds(10));
  CHECK(plan(case_taking(1e-6), case_taking(1e-6)).old_steps == 100'000);
}

TEST_CASE("a time slice has several steps, and a visit several time slices") {
  const VisitPlan slow = plan(case_taking(25), case_taking(20));
  CHECK(slow.time_slice == milliseconds(200));
  CHECK(slow.old_steps == 32);  // 0.8 s
  CHECK(slow.new_steps == 40);

  const VisitPlan slower = plan(case_taking(200), case_taking(20));  // would take 6.4 s
  CHECK_FALSE(slower.time_slice);
  CHECK(slower.why_no_slices == "their steps are so slow that time slices need visits of 7 s (measure/visit_seconds)");
  CHECK(slower.old_steps == 3);
  CHECK(slower.new_steps == 25);
  CHECK(plan(case_taking(200), case_taking(20), 6.4).time_slice == milliseconds(1600));
  CHECK(plan(case_taking(50), case_taking(50), {.timeout_seconds = 1.5}).why_no_slices ==
        "they are so slow that time slices need a measure/timeout_seconds of 2");
}

TEST_CASE("visits run one after the other where they cannot be stopped") {
  CaseRecord on_gpu = case_taking(1), over_mpi = case_taking(1), large = case_taking(1);
  on_gpu.device = "cuda";
  CHECK(plan(case_taking(1), on_gpu).why_no_slices == "a GPU goes on when its process is stopped");

  over_mpi.transport = "mpi";  // of builds with MPI; otherwise an unknown one
  CHECK(plan(over_mpi, case_taking(1)).why_no_slices.starts_with("ranks that mpiexec starts"));

  large.measurement->peak_memory_bytes = 300'000'000;  // on each of two ranks
  CHECK(plan(large, case_taking(1)).time_slice);
  large.measurement->host_memory.emplace().case_resident_peak_bytes = 450'000'000;  // of the process, with both ranks
  CHECK(plan(large, case_taking(1)).time_slice);
  CHECK(plan(large, large).why_no_slices == "the memory does not suffice for all at once");
}
