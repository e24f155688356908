#include "bench/records/timed_cases.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>

#include "bench/statistics/interval.h"

namespace ddlbench::bench {
namespace {

constexpr std::size_t fewest_rounds = 2;  ///< for an interval

/// Returns the mean budget of a case's visits, scaled to a step of `seconds`.
program::Budget mean_budget(const std::vector<VisitRecord>& visits, const std::string& case_id, double seconds) {
  program::Budget sum;
  for (const VisitRecord& visit : visits) {
    const bool counts = visit.case_id == case_id && !visit.control && visit.status == Status::ok;
    if (counts && visit.step_seconds > 0) sum += visit.budget * (1 / visit.step_seconds);
  }
  const double total = sum.total();
  return total > 0 ? sum * (seconds / total) : sum;
}

void set_step(const Interval& step, Measurement& measurement) {
  const double faster = measurement.step_seconds / step.value;
  measurement.own_process_step_seconds = measurement.step_seconds;
  measurement.step_seconds = step.value;
  measurement.step_seconds_low = step.low;
  measurement.step_seconds_high = step.high;
  measurement.samples_per_second *= faster;
  if (measurement.flops_per_second) *measurement.flops_per_second *= faster;
}

/// Returns the visit in which a case failed; nullptr if none. A failure beside other cases does not count if the case
/// then ran alone.
const VisitRecord* failed_visit(const std::vector<VisitRecord>& visits, const std::string& case_id) {
  const VisitRecord* failed = nullptr;
  for (const VisitRecord& visit : visits) {
    if (visit.case_id != case_id) continue;
    if (visit.status == Status::ok) {
      if (failed != nullptr && !visit.time_slice_seconds) failed = nullptr;
    } else if (!visit.time_slice_seconds) {
      return &visit;
    } else if (failed == nullptr) {
      failed = &visit;
    }
  }
  return failed;
}

void apply(const std::vector<VisitRecord>& visits, const Rounds& rounds, const std::string& ended_by,
           CaseRecord& record) {
  std::int64_t disturbed = 0, count = 0;
  for (const VisitRecord& visit : visits) {
    if (visit.case_id != record.case_id) continue;
    ++count;
    disturbed += visit.disturbed && !visit.control ? 1 : 0;
  }
  const VisitRecord* const failed = record.status == Status::ok ? failed_visit(visits, record.case_id) : nullptr;
  if (failed != nullptr) {
    record.status = failed->status;
    record.status_reason = fmt::format("when it was timed again in round {}: {}", failed->round, failed->status_reason);
    record.measurement.reset();
  }
  if (count == 0 || !record.measurement) return;
  const std::vector<double> logarithms = rounds.log_times({record.case_id, false});
  Measurement& measurement = *record.measurement;
  measurement.rounds = static_cast<int>(logarithms.size());
  measurement.rounds_ended_by = ended_by;
  measurement.disturbed_visits = disturbed;
  if (logarithms.size() < fewest_rounds) return;
  const auto [fastest, slowest] = std::minmax_element(logarithms.begin(), logarithms.end());
  measurement.round_spread_ratio = std::expm1(*slowest - *fastest);
  const Interval interval = location(logarithms, record.seed);
  set_step({std::exp(interval.value), std::exp(interval.low), std::exp(interval.high)}, measurement);
  measurement.budget = mean_budget(visits, record.case_id, measurement.step_seconds);
}

}  // namespace

std::map<std::string, std::size_t> missing_cases(const Records& records) {
  std::map<std::string, std::size_t> missing;
  std::set<std::string> ended;
  for (const CaseRecord& record : records.cases) {
    if (!was_cut_short(record)) ended.insert(record.case_id);
    if (was_cut_short(record) && records.planned.empty()) ++missing[record.contract_id];
  }
  for (const PlannedCase& one : records.planned) {
    if (!ended.contains(one.case_id)) ++missing[one.contract_id];
  }
  return missing;
}

std::set<std::string> contracts_with_rounds(const Records& records) {
  std::set<std::string> contracts, lost_a_rank;
  for (const RoundsRecord& rounds : records.rounds) contracts.insert(rounds.contract_id);
  for (const VisitRecord& visit : records.visits) {
    if (visit.status == Status::lost_rank) lost_a_rank.insert(visit.case_id);
  }
  for (const CaseRecord& record : records.cases) {
    if (lost_a_rank.contains(record.case_id)) contracts.erase(record.contract_id);
  }
  return contracts;
}

bool TimedCases::update(const Records& records) {
  for (std::size_t i = cases_.size(); i < records.cases.size(); ++i) {
    const CaseRecord& record = records.cases[i];
    cases_.push_back(record);
    contracts_[record.contract_id].cases.push_back(i);
    contract_of_case_[record.case_id] = record.contract_id;
  }
  for (; visits_ < records.visits.size(); ++visits_) {
    const auto id = contract_of_case_.find(records.visits[visits_].case_id);
    if (id == contract_of_case_.end()) continue;  // the journal lacks its case
    contracts_[id->second].visits.push_back(records.visits[visits_]);
    contracts_[id->second].changed = true;
  }
  for (; rounds_ < records.rounds.size(); ++rounds_) {
    Contract& contract = contracts_[records.rounds[rounds_].contract_id];
    contract.end = records.rounds[rounds_];
    contract.changed = true;
  }
  bool any = false;
  for (auto& [id, contract] : contracts_) {
    if (!contract.changed) continue;
    recompute(id, contract, records);
    any = true;
  }
  return any;
}

void TimedCases::recompute(const std::string& id, Contract& contract, const Records& records) {
  contract.changed = false;
  const Rounds rounds(contract.visits);
  std::vector<std::string> in_rounds;
  std::uint64_t seed = 0;
  for (const std::size_t i : contract.cases) {
    cases_[i] = records.cases[i];
    apply(contract.visits, rounds, contract.end ? contract.end->ended_by : "interrupted", cases_[i]);
    seed = cases_[i].seed;
    if (rounds.log_seconds({cases_[i].case_id, false}).size() >= fewest_rounds) in_rounds.push_back(cases_[i].case_id);
  }
  verdicts_.erase(id);
  if (in_rounds.empty()) return;
  verdicts_.emplace(id, PairedVerdicts(rounds, in_rounds, contract.end ? contract.end->precision : 0, seed));
}

}  // namespace ddlbench::bench
