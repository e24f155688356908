#include "bench/report/decision.h"

#include <fmt/core.h>
#include <algorithm>
#include <map>
#include <utility>

#include "base/printable.h"
#include "base/units.h"

namespace ddlbench::bench {

namespace {

std::string count_of(int count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string name_of(const CaseRecord& record) {
  return fmt::format("{} on {} × {}", record.strategy, count_of(record.ranks, "rank"),
                     count_of(record.threads_per_rank, "thread"));
}

std::string step_of(const CaseRecord& record) {
  const Measurement& measured = *record.measurement;
  return format_interval(measured.step_seconds, measured.step_seconds_low, measured.step_seconds_high) + " per step";
}

/// Returns the speedup with its interval: "1.33 times (1.28 to 1.39) as fast as".
std::string speedup_text(const CaseRecord& faster, const CaseRecord& slower) {
  const Measurement& f = *faster.measurement;
  const Measurement& s = *slower.measurement;
  return fmt::format("{} times ({} to {}) as fast as", format_ratio(s.step_seconds / f.step_seconds),
                     format_ratio(s.step_seconds_low / f.step_seconds_high),
                     format_ratio(s.step_seconds_high / f.step_seconds_low));
}

std::string join(const std::vector<std::string>& parts, const std::string& last) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? last : ", ";
    text += parts[i];
  }
  return text;
}

std::string winner(const RankedCase& best, const RankedCase* runner_up) {
  std::string text = fmt::format("Best: {}, {}", name_of(best.record), step_of(best.record));
  if (!runner_up) return text + "; no other case is ranked.";
  return fmt::format("{}, {} the runner-up, {}.", text, speedup_text(best.record, runner_up->record),
                     name_of(runner_up->record));
}

std::string tie(const std::vector<RankedCase>& ranked, std::size_t tied) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < tied; ++i)
    names.push_back(fmt::format("{} ({})", name_of(ranked[i].record), step_of(ranked[i].record)));
  std::string text =
      "Tie for the best: " + join(names, " and ") +
      ". The others' intervals overlap the first one's, so the measurement shows none of them to be faster.";
  if (tied == 2) {
    text = "Tie for the best: " + join(names, " and ") +
           ". Their intervals overlap, so the measurement shows neither to be faster.";
  }
  if (tied < ranked.size()) {
    text += fmt::format(" The runner-up is {}: the first is {} it.", name_of(ranked[tied].record),
                        speedup_text(ranked[0].record, ranked[tied].record));
  }
  return text;
}

/// Returns a sentence about the gain from parallelism, unless the sentence before it has said this.
std::string one_rank_comparison(const std::vector<RankedCase>& ranked, std::size_t tied) {
  const auto one_rank =
      std::find_if(ranked.begin(), ranked.end(), [](const RankedCase& entry) { return entry.record.ranks == 1; });
  if (one_rank == ranked.end()) return " There is no ranked one-rank case to compare with.";
  const auto place = static_cast<std::size_t>(one_rank - ranked.begin());
  const bool parallel_ranked =
      std::any_of(ranked.begin(), ranked.end(), [](const RankedCase& entry) { return entry.record.ranks > 1; });
  if (place < tied)
    return parallel_ranked ? " The measurement shows no case on several ranks to be faster than one rank." : "";
  if (place == tied) return "";  // it is the runner-up
  return fmt::format(" The first is {} the best one-rank case, {}.", speedup_text(ranked[0].record, one_rank->record),
                     name_of(one_rank->record));
}

/// Lists the cases that are not ranked, grouped by kind of reason. The table has the complete reasons.
std::string not_ranked(const std::vector<UnrankedCase>& unranked) {
  if (unranked.empty()) return "";
  std::vector<std::pair<std::string, std::vector<std::string>>> names_by_reason;
  std::map<std::string, std::size_t> places;  ///< index into names_by_reason
  for (const UnrankedCase& entry : unranked) {
    const std::string kind = entry.why.substr(0, entry.why.find(": "));
    const auto [place, is_new] = places.emplace(kind, names_by_reason.size());
    if (is_new) names_by_reason.push_back({kind, {}});
    names_by_reason[place->second].second.push_back(name_of(entry.record));
  }
  std::vector<std::string> parts;
  for (const auto& [why, names] : names_by_reason) parts.push_back(fmt::format("{} ({})", join(names, " and "), why));
  return " Not ranked: " + join(parts, " and ") + ".";
}

/// Returns a sentence about the case that reached the target in the shortest training time. Stale and lossy strategies
/// count. Cases that are not ok, whose certificate failed, or that had too few cores or GPUs do not.
std::string first_to_target(const Ranking& ranking) {
  std::vector<const CaseRecord*> records;
  for (const RankedCase& entry : ranking.ranked) records.push_back(&entry.record);
  for (const UnrankedCase& entry : ranking.unranked) records.push_back(&entry.record);
  const std::string target = records.front()->target;
  if (target.empty()) return "";
  const CaseRecord* first = nullptr;
  int reached = 0;
  for (const CaseRecord* record : records) {
    const bool counts = record->status == Status::ok && !certificate_failed(*record) && !shares_resources(*record);
    if (!counts || !record->seconds_to_target) continue;
    ++reached;
    if (!first || *record->seconds_to_target < *first->seconds_to_target) first = record;
  }
  if (!first) return " The target (" + target + ") was never reached.";
  return fmt::format(" The target ({}) was reached by {} of {}, first by {}: {} of training, {}.", target, reached,
                     count_of(static_cast<int>(records.size()), "case"), name_of(*first),
                     format_seconds(*first->seconds_to_target),
                     count_of(static_cast<int>(*first->epochs_to_target), "epoch"));
}

std::string nothing_ranked(const std::vector<UnrankedCase>& unranked) {
  const bool any_ok = std::any_of(unranked.begin(), unranked.end(),
                                  [](const UnrankedCase& entry) { return entry.record.status == Status::ok; });
  return any_ok ? "No recommendation: no case can be ranked."
                : "No recommendation: no case finished out of " + count_of(static_cast<int>(unranked.size()), "case") +
                      ".";
}

std::string paragraph(const Ranking& ranking) {
  const auto& ranked = ranking.ranked;
  if (ranked.empty()) {
    return nothing_ranked(ranking.unranked) + first_to_target(ranking) + not_ranked(ranking.unranked);
  }
  const auto tied = static_cast<std::size_t>(
      std::count_if(ranked.begin(), ranked.end(), [](const RankedCase& entry) { return entry.rank == 1; }));
  const std::string first = tied == 1 ? winner(ranked[0], ranked.size() > 1 ? &ranked[1] : nullptr) : tie(ranked, tied);
  return first + one_rank_comparison(ranked, tied) + first_to_target(ranking) + not_ranked(ranking.unranked);
}

std::string decide(const Ranking& ranking) {
  return printable(paragraph(ranking)) + "\n";
}

}  // namespace

std::string decide(const std::vector<Ranking>& rankings) {
  if (rankings.empty()) return "No recommendation: there were no cases.\n";
  if (rankings.size() == 1) return decide(rankings.front());
  std::string text = fmt::format(
      "{} contracts: they train differently, so their cases are not compared with each other.\n", rankings.size());
  for (const Ranking& ranking : rankings) {
    const CaseRecord& any = ranking.ranked.empty() ? ranking.unranked.front().record : ranking.ranked.front().record;
    text += fmt::format("Contract {} ({}): {}", ranking.contract_id, describe_contract(any), decide(ranking));
  }
  return text;
}

}  // namespace ddlbench::bench
