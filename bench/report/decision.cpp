#include "bench/report/decision.h"

#include <fmt/core.h>
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/counted.h"
#include "base/printable.h"
#include "base/units.h"

namespace ddlbench::bench {

namespace {

std::string name_of(const CaseRecord& record) {
  return fmt::format("{} on {} × {}", record.strategy, counted(record.ranks, "rank"),
                     counted(record.threads_per_rank, "thread"));
}

std::string step_of(const CaseRecord& record) {
  const Measurement& measured = *record.measurement;
  return format_interval(measured.step_seconds, measured.step_seconds_low, measured.step_seconds_high) + " per step";
}

/// Returns the ratio of b's step time to a's.
Interval speedup(const Ranking& ranking, const CaseRecord& a, const CaseRecord& b) {
  std::optional<Interval> paired;
  if (ranking.verdicts) paired = ranking.verdicts->ratio(a.case_id, b.case_id);
  return paired.value_or(ratio_of_steps(*a.measurement, *b.measurement));
}

/// Returns "1.33 times (1.28 to 1.39) as fast as".
std::string speedup_text(const Ranking& ranking, const CaseRecord& faster, const CaseRecord& slower) {
  const Interval ratio = speedup(ranking, faster, slower);
  return fmt::format("{} times ({} to {}) as fast as", format_ratio(ratio.value), format_ratio(ratio.low),
                     format_ratio(ratio.high));
}

std::string join(const std::vector<std::string>& parts, const std::string& last) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? last : ", ";
    text += parts[i];
  }
  return text;
}

std::string winner(const Ranking& ranking) {
  const CaseRecord& best = ranking.ranked.front().record;
  const std::string text = fmt::format("Best: {}, {}", name_of(best), step_of(best));
  if (ranking.ranked.size() == 1) return text + "; no other case is ranked.";
  const CaseRecord& second = ranking.ranked[1].record;
  return fmt::format("{}, {} the runner-up, {}.", text, speedup_text(ranking, best, second), name_of(second));
}

/// Returns whether the first `tied` cases are shown to be equally fast, each two of them.
bool all_same(const Ranking& ranking, std::size_t tied) {
  if (!ranking.verdicts) return false;
  for (std::size_t a = 0; a < tied; ++a) {
    for (std::size_t b = a + 1; b < tied; ++b) {
      if (ranking.verdicts->verdict(ranking.ranked[a].record.case_id, ranking.ranked[b].record.case_id) !=
          Verdict::same) {
        return false;
      }
    }
  }
  return true;
}

std::string why_tied(const Ranking& ranking, std::size_t tied) {
  if (!ranking.verdicts) {
    return tied == 2 ? "Their intervals overlap, so the measurement shows neither to be faster."
                     : "The others' intervals overlap the first one's, so the measurement shows none of them to be "
                       "faster.";
  }
  if (all_same(ranking, tied)) {
    return fmt::format("They are equally fast: their times differ by less than {}.",
                       format_percentage(ranking.verdicts->precision(), 1));
  }
  if (tied > 2) return "The measurement does not show which of them is fastest.";
  return fmt::format("The measurement does not show which is faster: the first is {} the other.",
                     speedup_text(ranking, ranking.ranked[0].record, ranking.ranked[1].record));
}

std::string tie(const Ranking& ranking, std::size_t tied) {
  const auto& ranked = ranking.ranked;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < tied; ++i)
    names.push_back(fmt::format("{} ({})", name_of(ranked[i].record), step_of(ranked[i].record)));
  std::string text = fmt::format("Tie for the best: {}. {}", join(names, " and "), why_tied(ranking, tied));
  if (tied < ranked.size()) {
    text += fmt::format(" The runner-up is {}: the first is {} it.", name_of(ranked[tied].record),
                        speedup_text(ranking, ranked[0].record, ranked[tied].record));
  }
  return text;
}

/// Returns a sentence about the gain from parallelism, unless the sentence before it has said this.
std::string one_rank_comparison(const Ranking& ranking, std::size_t tied) {
  const auto& ranked = ranking.ranked;
  const auto one_rank =
      std::find_if(ranked.begin(), ranked.end(), [](const RankedCase& entry) { return entry.record.ranks == 1; });
  if (one_rank == ranked.end()) return " There is no ranked one-rank case to compare with.";
  const auto place = static_cast<std::size_t>(one_rank - ranked.begin());
  const bool parallel_ranked =
      std::any_of(ranked.begin(), ranked.end(), [](const RankedCase& entry) { return entry.record.ranks > 1; });
  if (place < tied)
    return parallel_ranked ? " The measurement shows no case on several ranks to be faster than one rank." : "";
  if (place == tied) return "";  // it is the runner-up
  return fmt::format(" The first is {} the best one-rank case, {}.",
                     speedup_text(ranking, ranked[0].record, one_rank->record), name_of(one_rank->record));
}

/// Returns a ranked case whose epochs took clearly less time than those of the fastest by steps, with the reason;
/// nothing if steps and epochs agree. Epochs of different cases ran at different times, so the larger of the margin and
/// the noise between rounds does not count.
std::optional<std::string> contradiction(const Ranking& ranking, std::size_t tied) {
  const auto& ranked = ranking.ranked;
  const auto epoch_of = [](const RankedCase& entry) { return entry.record.measurement->epoch_seconds; };
  const auto fastest = std::min_element(ranked.begin(), ranked.end(), [&](const RankedCase& a, const RankedCase& b) {
    return epoch_of(a) < epoch_of(b);
  });
  const auto best =
      std::min_element(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(tied),
                       [&](const RankedCase& a, const RankedCase& b) { return epoch_of(a) < epoch_of(b); });
  if (fastest - ranked.begin() < static_cast<std::ptrdiff_t>(tied) || epoch_of(*fastest) <= 0) return std::nullopt;
  const double noise = std::max(fastest->record.measurement->round_spread_ratio.value_or(0),
                                best->record.measurement->round_spread_ratio.value_or(0));
  const double allowed = std::max(ranking.verdicts ? ranking.verdicts->margin() : 0, noise);
  const double ratio = epoch_of(*best) / epoch_of(*fastest);
  if (ratio <= 1 + allowed) return std::nullopt;
  return fmt::format(
      "No winner: by steps it would be {} ({}), but an epoch of {} took {} and one of it {}, {} times as long. "
      "Something outside the measured steps differs; see the budgets and epochs.csv.",
      name_of(ranked[0].record), step_of(ranked[0].record), name_of(fastest->record),
      format_seconds(epoch_of(*fastest)), format_seconds(epoch_of(*best)), format_ratio(ratio));
}

/// Says what the comparisons rest on.
std::string basis(const Ranking& ranking) {
  if (!ranking.verdicts || ranking.ranked.empty()) return "";
  const Measurement& first = *ranking.ranked.front().record.measurement;
  std::string text =
      fmt::format(" Basis: {}, until {}", counted(first.rounds.value_or(0), "round"),
                  first.rounds_ended_by.value_or("interrupted") == "precision" ? "the ratios were precise enough"
                  : first.rounds_ended_by == "max_seconds"                     ? "measure/max_seconds"
                                                                               : "the run ended");
  if (const auto& control = ranking.verdicts->control()) {
    text += fmt::format(
        "; a second copy of the baseline was {:.3f} times ({:.3f} to {:.3f}) as fast as the first, so differences "
        "below "
        "{} are not claimed",
        1 / control->value, 1 / control->high, 1 / control->low, format_percentage(ranking.verdicts->margin(), 1));
  }
  return text + ".";
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

/// Returns "3 epochs", or where the target was reached within an epoch, "1200 steps, in epoch 3".
std::string training_to_target(const CaseRecord& record) {
  const std::int64_t epochs = *record.epochs_to_target, per_epoch = record.measurement->steps_per_epoch.value_or(0);
  if (!record.steps_to_target || *record.steps_to_target == epochs * per_epoch) return counted(epochs, "epoch");
  return fmt::format("{}, in epoch {}", counted(*record.steps_to_target, "step"), epochs);
}

/// Returns a sentence about the case that reached the target in the shortest training time. Stale and lossy strategies
/// count. Cases that are not ok, whose certificate failed, or that had too few cores or GPUs do not.
std::string first_to_target(const Ranking& ranking) {
  std::vector<const CaseRecord*> records;
  for (const RankedCase& entry : ranking.ranked) records.push_back(&entry.record);
  for (const UnrankedCase& entry : ranking.unranked) records.push_back(&entry.record);
  const std::string target = records.front()->target;
  const bool any_trained =
      std::any_of(records.begin(), records.end(), [](const CaseRecord* record) { return has_trained(*record); });
  if (target.empty() || !any_trained) return "";
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
                     counted(records.size(), "case"), name_of(*first), format_seconds(*first->seconds_to_target),
                     training_to_target(*first));
}

std::string nothing_ranked(const std::vector<UnrankedCase>& unranked) {
  const bool any_ok = std::any_of(unranked.begin(), unranked.end(),
                                  [](const UnrankedCase& entry) { return entry.record.status == Status::ok; });
  return any_ok ? "No recommendation: no case can be ranked."
                : "No recommendation: no case finished out of " + counted(unranked.size(), "case") + ".";
}

std::string paragraph(const Ranking& ranking) {
  const auto& ranked = ranking.ranked;
  if (ranked.empty()) {
    return nothing_ranked(ranking.unranked) + first_to_target(ranking) + not_ranked(ranking.unranked);
  }
  if (ranking.missing > 0) {
    return fmt::format("No recommendation yet: {} did not run to {} end, and may be faster.",
                       counted(ranking.missing, "case"), ranking.missing == 1 ? "its" : "their") +
           not_ranked(ranking.unranked);
  }
  if (ranking.lacks_rounds) {
    return "No recommendation yet: the rounds in which its cases take turns have not ended." +
           not_ranked(ranking.unranked);
  }
  const auto tied = static_cast<std::size_t>(
      std::count_if(ranked.begin(), ranked.end(), [](const RankedCase& entry) { return entry.rank == 1; }));
  const std::string first = contradiction(ranking, tied).value_or(tied == 1 ? winner(ranking) : tie(ranking, tied));
  return first + one_rank_comparison(ranking, tied) + basis(ranking) + first_to_target(ranking) +
         not_ranked(ranking.unranked);
}

}  // namespace

std::string decide(const Ranking& ranking) {
  return printable(paragraph(ranking));
}

std::string decide(const std::vector<Ranking>& rankings) {
  if (rankings.empty()) return "No recommendation: there were no cases.\n";
  if (rankings.size() == 1) return decide(rankings.front()) + "\n";
  std::string text = fmt::format(
      "{} contracts: they train differently, so their cases are not compared with each other.\n", rankings.size());
  for (const Ranking& ranking : rankings) {
    const CaseRecord& any = ranking.ranked.empty() ? ranking.unranked.front().record : ranking.ranked.front().record;
    text += fmt::format("Contract {} ({}): {}\n", ranking.contract_id, describe_contract(any), decide(ranking));
  }
  return text;
}

}  // namespace ddlbench::bench
