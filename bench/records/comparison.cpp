#include "bench/records/comparison.h"

namespace ddlbench::bench {

namespace {

bool has_speed(const CaseRecord& record) {
  return record.status == Status::ok && record.measurement && !certificate_failed(record) &&
         record.measurement->step_seconds > 0;
}

bool can_be_baseline(const CaseRecord& record) {
  return has_speed(record) && record.ranks == 1 && !shares_resources(record);
}

template <class Predicate>
const CaseRecord* fastest(const std::vector<CaseRecord>& records, const Predicate& predicate) {
  const CaseRecord* best = nullptr;
  for (const CaseRecord& record : records) {
    if (!can_be_baseline(record) || !predicate(record)) continue;
    if (!best || record.measurement->step_seconds < best->measurement->step_seconds) best = &record;
  }
  return best;
}

/// Threads that compute, or devices apart from the host that do.
double resources(const CaseRecord& record) {
  if (record.measurement->devices) return *record.measurement->devices;
  return static_cast<double>(record.ranks) * record.threads_per_rank;
}

Comparison compare(const CaseRecord& record, const std::vector<CaseRecord>& records) {
  Comparison result;
  if (!has_speed(record)) return result;
  const double seconds = record.measurement->step_seconds;
  const auto same_contract = [&](const CaseRecord& other) { return other.contract_id == record.contract_id; };
  const auto same_strategy = [&](const CaseRecord& other) {
    return same_contract(other) && other.strategy == record.strategy;
  };
  if (const CaseRecord* baseline = fastest(records, same_contract)) {
    const double speedup = baseline->measurement->step_seconds / seconds;
    result.baseline_case_id = baseline->case_id;
    result.speedup_ratio = speedup;
    result.efficiency_ratio = speedup * resources(*baseline) / resources(record);
  }
  if (const CaseRecord* own = fastest(records, same_strategy)) {
    result.own_speedup_ratio = own->measurement->step_seconds / seconds;
  }
  return result;
}

}  // namespace

std::vector<Comparison> compare(const std::vector<CaseRecord>& records) {
  std::vector<Comparison> result;
  for (const CaseRecord& record : records) result.push_back(compare(record, records));
  return result;
}

}  // namespace ddlbench::bench
