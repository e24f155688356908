#pragma once

#include <string>
#include <vector>

#include "bench/records/record.h"

namespace ddlbench::test {

/// Returns a visit with a step time of `milliseconds`.
inline bench::VisitRecord visit(const std::string& case_id, int round, double milliseconds, bool control = false) {
  bench::VisitRecord record;
  record.case_id = case_id;
  record.round = round;
  record.control = control;
  record.steps = 10;
  record.step_seconds = milliseconds * 1e-3;
  record.budget.forward = 0.75 * record.step_seconds;
  record.budget.rest = 0.25 * record.step_seconds;
  return record;
}

/// Adds the two visits of each round, 1 % below and above the round's time.
inline void add_rounds(std::vector<bench::VisitRecord>& visits, const std::string& case_id,
                       const std::vector<double>& milliseconds, bool control = false) {
  int round = 0;
  for (const double time : milliseconds) {
    ++round;
    visits.push_back(visit(case_id, round, time / 1.01, control));
    visits.push_back(visit(case_id, round, time * 1.01, control));
  }
}

}  // namespace ddlbench::test
