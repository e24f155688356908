#include "collectives/steps.h"

#include <algorithm>

namespace ddlbench::collectives {

namespace {

std::int64_t scratch_of(const Range& range) {
  return range.memory == Memory::scratch ? range.offset + range.count : 0;
}

std::int64_t scratch_of(const Step& step) {
  std::int64_t end = 0;
  if (step.send) end = std::max(end, scratch_of(step.send->from));
  if (step.receive) end = std::max(end, scratch_of(step.receive->into));
  if (step.receive && step.receive->operand) end = std::max(end, scratch_of(*step.receive->operand));
  if (step.copy) end = std::max({end, scratch_of(step.copy->from), scratch_of(step.copy->into)});
  return end;
}

}  // namespace

StepList list_of(const Steps& steps) {
  StepList list;
  steps([&list](const Step& step) {
    list.steps.push_back(step);
    list.scratch = std::max(list.scratch, scratch_of(step));
  });
  return list;
}

std::int64_t sent_elements(const Steps& steps) {
  std::int64_t sum = 0;
  steps([&sum](const Step& step) {
    if (step.send) sum += step.send->from.count;
  });
  return sum;
}

std::int64_t largest_reduction(const StepList& list) {
  std::int64_t largest = 0;
  for (const Step& step : list.steps) {
    if (step.receive && step.receive->operand) largest = std::max(largest, step.receive->into.count);
  }
  return largest;
}

}  // namespace ddlbench::collectives
