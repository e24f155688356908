#include "bench/report/ranking.h"

#include <fmt/core.h>
#include <algorithm>
#include <map>

#include "base/printable.h"
#include "bench/statistics/letters.h"

namespace ddlbench::bench {

namespace {

std::string with_reason(std::string what, const std::string& reason) {
  return reason.empty() ? what : fmt::format("{}: {}", what, reason);
}

}  // namespace

std::string why_unranked(const CaseRecord& record) {
  if (record.status != Status::ok) {
    const std::string status(name(record.status));
    return with_reason(status == record.expect ? status + ", as expected" : status, record.status_reason);
  }
  if (!record.measurement || record.measurement->repetitions == 0) return "nothing was measured";
  const Measurement& measured = *record.measurement;
  if (measured.promise != "exact") return measured.promise + ": its training is not that of one rank";
  if (certificate_failed(record)) {
    return with_reason(certificate_proves_nothing(measured) ? "certificate" : "certificate failed",
                       measured.certificate_reason);
  }
  if (!measured.certified) return with_reason("no certificate", measured.certificate_reason);
  if (record.oversubscribed) return "oversubscribed: more busy threads than cores";
  if (shares_resources(record)) return "shared: more ranks than GPUs";
  return {};
}

namespace {

void number_by_verdicts(const PairedVerdicts& verdicts, std::vector<RankedCase>& cases) {
  const auto verdict = [&](std::size_t a, std::size_t b) {
    return verdicts.verdict(cases[a].record.case_id, cases[b].record.case_id);
  };
  const std::vector<std::string> letters = letter_groups(cases.size(), [&](std::size_t a, std::size_t b) {
    return verdict(a, b) == Verdict::faster || verdict(a, b) == Verdict::slower;
  });
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].letters = letters[i];
    for (std::size_t other = 0; other < cases.size(); ++other)
      cases[i].rank += verdict(i, other) == Verdict::slower ? 1 : 0;
  }
  std::stable_sort(cases.begin(), cases.end(),
                   [](const RankedCase& a, const RankedCase& b) { return a.rank < b.rank; });
}

void number_by_intervals(std::vector<RankedCase>& cases) {
  const RankedCase* leader = nullptr;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const bool tied =
        leader && cases[i].record.measurement->step_seconds_low <= leader->record.measurement->step_seconds_high;
    if (!tied) leader = &cases[i];
    cases[i].rank = tied ? leader->rank : static_cast<int>(i) + 1;
  }
}

void sort_and_number(Ranking& ranking) {
  std::stable_sort(ranking.ranked.begin(), ranking.ranked.end(), [](const RankedCase& a, const RankedCase& b) {
    return a.record.measurement->step_seconds < b.record.measurement->step_seconds;
  });
  if (ranking.verdicts) {
    number_by_verdicts(*ranking.verdicts, ranking.ranked);
  } else {
    number_by_intervals(ranking.ranked);
  }
}

}  // namespace

std::vector<Ranking> rank_cases(const TimedCases& timed, const Records& all) {
  const std::map<std::string, std::size_t> missing = missing_cases(all);
  const std::vector<CaseRecord>& records = timed.cases();
  const std::map<std::string, PairedVerdicts>& verdicts = timed.verdicts();
  const auto comparisons = compare(records, verdicts);
  std::vector<Ranking> rankings;
  std::map<std::string, std::size_t> places;  ///< index into `rankings`, by contract
  for (std::size_t i = 0; i < records.size(); ++i) {
    const CaseRecord& record = records[i];
    const auto [place, is_new] = places.emplace(record.contract_id, rankings.size());
    if (is_new) {
      rankings.push_back({record.contract_id, {}, {}, {}, 0, false});
      if (const auto own = missing.find(record.contract_id); own != missing.end())
        rankings.back().missing = own->second;
      if (const auto own = verdicts.find(record.contract_id); own != verdicts.end())
        rankings.back().verdicts = own->second;
    }
    Ranking& ranking = rankings[place->second];
    const std::string why = why_unranked(record);
    if (why.empty()) {
      ranking.ranked.push_back({1, "", record, comparisons[i]});
    } else {
      ranking.unranked.push_back({record, why});
    }
  }
  const std::set<std::string> with_rounds = contracts_with_rounds(all);
  for (Ranking& ranking : rankings) {
    sort_and_number(ranking);
    ranking.lacks_rounds = all.kind.has_rounds && ranking.missing == 0 && !ranking.ranked.empty() &&
                           !with_rounds.contains(ranking.contract_id);
  }
  return rankings;
}

std::vector<Ranking> rank_cases(const Records& records) {
  return rank_cases(TimedCases(records), records);
}

std::string contracts_without_rounds(const std::vector<Ranking>& rankings) {
  const auto count =
      std::count_if(rankings.begin(), rankings.end(), [](const Ranking& one) { return one.lacks_rounds; });
  if (count < 2) return count == 0 ? "" : "a contract";
  return fmt::format("{} contracts", count);
}

std::string describe_contract(const CaseRecord& record) {
  return printable(fmt::format("{} on {}, global batch {}, {}, {}, seed {}", record.workload, record.dataset,
                               record.global_batch, record.precision, record.optimizer, record.seed));
}

std::string ranks_and_threads(const CaseRecord& record) {
  return fmt::format("{}×{}", record.ranks, record.threads_per_rank);
}

}  // namespace ddlbench::bench
