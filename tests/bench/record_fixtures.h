#pragma once

#include <string>

#include "bench/records/record.h"

namespace ddlbench::test {

/// Returns an ok, exact, certified case with a step time of `milliseconds` ± `half`.
inline bench::CaseRecord finished_case(const std::string& strategy, int ranks, double milliseconds, double half) {
  bench::CaseRecord record;
  record.experiment = "fixture";
  record.case_id = strategy + "-r" + std::to_string(ranks);
  record.contract_id = "c0ffee";
  record.status = bench::Status::ok;
  record.workload = "mlp";
  record.dataset = "idx";
  record.strategy = strategy;
  record.ranks = ranks;
  record.precision = "fp32";
  record.optimizer = "sgd";
  record.global_batch = 64;
  record.seed = 1;
  bench::Measurement& measured = record.measurement.emplace();
  measured.promise = "exact";
  measured.certified = true;
  measured.certificate_update = 3.14e-7;
  measured.repetitions = 1;
  measured.epoch_seconds_source = "measured";
  measured.step_seconds = milliseconds * 1e-3;
  measured.step_seconds_low = (milliseconds - half) * 1e-3;
  measured.step_seconds_high = (milliseconds + half) * 1e-3;
  measured.peak_memory_bytes = 3 << 20;
  measured.host_memory = bench::HostMemoryRecord{1 << 20, 2 << 20, 9 << 20, 30 << 20, 26 << 20, 40 << 20, 10 << 20};
  measured.final_accuracy_ratio = 0.875;
  return record;
}

inline bench::CaseRecord ended_case(const std::string& strategy, int ranks, bench::Status status,
                                    const std::string& reason) {
  bench::CaseRecord record = finished_case(strategy, ranks, 1, 0);
  record.status = status;
  record.status_reason = reason;
  record.measurement.reset();
  return record;
}

}  // namespace ddlbench::test
