#include "bench/report/ranking.h"

#include <fmt/core.h>
#include <algorithm>
#include <map>

#include "base/printable.h"

namespace ddlbench::bench {

namespace {

std::string with_reason(std::string what, const std::string& reason) {
  return reason.empty() ? what : fmt::format("{}: {}", what, reason);
}

/// Returns why a case is not ranked for speed; empty if it is.
std::string why_unranked(const CaseRecord& record) {
  if (record.status != Status::ok) {
    const std::string status(name(record.status));
    return with_reason(status == record.expect ? status + ", as expected" : status, record.status_reason);
  }
  if (!record.measurement || record.measurement->repetitions == 0) return "nothing was measured";
  const Measurement& measured = *record.measurement;
  if (measured.promise != "exact") return measured.promise + ": its step does different work";
  if (certificate_failed(record)) {
    return with_reason(certificate_proves_nothing(measured) ? "certificate" : "certificate failed",
                       measured.certificate_reason);
  }
  if (!measured.certified) return with_reason("no certificate", measured.certificate_reason);
  if (record.oversubscribed) return "oversubscribed: more busy threads than cores";
  if (shares_resources(record)) return "shared: more ranks than GPUs";
  return {};
}

void sort_and_number(std::vector<RankedCase>& cases) {
  std::stable_sort(cases.begin(), cases.end(), [](const RankedCase& a, const RankedCase& b) {
    return a.record.measurement->step_seconds < b.record.measurement->step_seconds;
  });
  const RankedCase* leader = nullptr;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const bool tied =
        leader && cases[i].record.measurement->step_seconds_low <= leader->record.measurement->step_seconds_high;
    if (!tied) leader = &cases[i];
    cases[i].rank = tied ? leader->rank : static_cast<int>(i) + 1;
  }
}

}  // namespace

std::vector<Ranking> rank_cases(const std::vector<CaseRecord>& records) {
  const auto comparisons = compare(records);
  std::vector<Ranking> rankings;
  std::map<std::string, std::size_t> places;  ///< index into `rankings`, by contract
  for (std::size_t i = 0; i < records.size(); ++i) {
    const CaseRecord& record = records[i];
    const auto [place, is_new] = places.emplace(record.contract_id, rankings.size());
    if (is_new) rankings.push_back({record.contract_id, {}, {}});
    Ranking& ranking = rankings[place->second];
    const std::string why = why_unranked(record);
    if (why.empty()) {
      ranking.ranked.push_back({1, record, comparisons[i]});
    } else {
      ranking.unranked.push_back({record, why});
    }
  }
  for (Ranking& ranking : rankings) sort_and_number(ranking.ranked);
  return rankings;
}

std::string describe_contract(const CaseRecord& record) {
  return printable(fmt::format("{} on {}, global batch {}, {}, {}, seed {}", record.workload, record.dataset,
                               record.global_batch, record.precision, record.optimizer, record.seed));
}

std::string ranks_and_threads(const CaseRecord& record) {
  return fmt::format("{}×{}", record.ranks, record.threads_per_rank);
}

}  // namespace ddlbench::bench
