#include "bench/compare/visit_plan.h"

#include "bench/launcher/time_slice_plan.h"
#include "bench/launcher/visit_steps.h"

namespace ddlbench::bench {

VisitPlan plan_visits(const CasePair& pair, const VisitConditions& conditions) {
  constexpr double longest_visit_seconds = 5;
  std::vector<SlicedCase> cases{sliced_case(*pair.old_case), sliced_case(*pair.new_case)};
  for (SlicedCase& one : cases) one.setup_seconds = 0;  // neither waits for the other one's first step
  const SlicePlan slices = plan_time_slices(
      cases, {conditions.visit_seconds, longest_visit_seconds, conditions.timeout_seconds, conditions.available_bytes});
  return {visit_steps(slices.visit_seconds, cases.front().step_seconds),
          visit_steps(slices.visit_seconds, cases.back().step_seconds), slices.time_slice, slices.why_no_slices};
}

}  // namespace ddlbench::bench
