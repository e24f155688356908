#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../record_fixtures.h"
#include "../visit_fixtures.h"
#include "bench/page/run_results.h"

namespace ddlbench::test {

/// Returns a run without files.
inline bench::RunResults run_of(std::vector<bench::CaseRecord> cases, std::vector<bench::VisitRecord> visits = {}) {
  bench::Records records;
  records.cases = std::move(cases);
  records.visits = std::move(visits);
  return bench::results_of("run", std::move(records));
}

/// Adds rounds of a case, with the times of both probes in each.
inline void add_probed_rounds(std::vector<bench::VisitRecord>& visits, const std::string& case_id,
                              const std::vector<double>& milliseconds, double compute_seconds, double memory_seconds) {
  const std::size_t before = visits.size();
  add_rounds(visits, case_id, milliseconds);
  for (std::size_t i = before; i < visits.size(); ++i) {
    visits[i].compute_probe_seconds = compute_seconds * (1 + 0.001 * visits[i].round);
    visits[i].memory_probe_seconds = memory_seconds * (1 + 0.001 * visits[i].round);
  }
}

}  // namespace ddlbench::test
