#include "comm/algorithms/steps.h"

#include <algorithm>

namespace ddlbench::comm {

std::int64_t sent_elements(const StepList& list) {
  std::int64_t sum = 0;
  for (const Step& step : list.steps) {
    if (step.send) sum += step.send->from.count;
  }
  return sum;
}

std::int64_t largest_reduction(const StepList& list) {
  std::int64_t largest = 0;
  for (const Step& step : list.steps) {
    if (step.receive && step.receive->operand) largest = std::max(largest, step.receive->into.count);
  }
  return largest;
}

}  // namespace ddlbench::comm
