#include "bench/report/predicted.h"

#include <fmt/core.h>
#include <algorithm>
#include <map>

#include "base/counted.h"
#include "base/printable.h"
#include "base/units.h"
#include "bench/report/grid.h"

namespace ddlbench::bench {

namespace {

using enum Grid::Align;

bool is_ranked(const PredictedCase& entry) {
  return entry.exact && !entry.which.oversubscribed && !entry.which.shares_devices;
}

std::string note(const PredictedCase& entry) {
  if (entry.which.oversubscribed) return "oversubscribed";
  if (entry.which.shares_devices) return "shared GPU";
  return entry.exact ? "" : "not exact";
}

std::string name_of(const PredictedCase& entry) {
  return fmt::format("{} on {}", printable(entry.which.strategy.label), counted(entry.which.ranks, "rank"));
}

std::string table(const std::vector<PredictedCase>& cases) {
  Grid grid({right, left, left, right, left, right, right, right, right, right, left});
  grid.add(
      {"#", "case", "strategy", "ranks×threads", "mesh", "step", "epoch", "memory", "bubble", "communication", ""});
  int place = 0;
  for (const PredictedCase& entry : cases) {
    const PredictionRecord& p = entry.prediction;
    grid.add({is_ranked(entry) ? std::to_string(++place) : "", entry.which.id, entry.which.strategy.label,
              fmt::format("{}×{}", entry.which.ranks, entry.which.threads_per_rank), entry.mesh,
              format_seconds(p.step_seconds), format_seconds(p.step_seconds * static_cast<double>(entry.batches)),
              format_bytes(p.peak_memory_bytes), format_percentage(p.budget.bubble, p.step_seconds),
              format_percentage(p.budget.communication, p.step_seconds), note(entry)});
  }
  return grid.text(2);
}

std::string recommendation(const std::vector<PredictedCase>& cases) {
  if (cases.empty() || !is_ranked(cases.front())) return "Predicted: no case can be recommended.\n";
  const PredictedCase& best = cases.front();
  std::string text =
      fmt::format("Predicted best: {}, {} per step", name_of(best), format_seconds(best.prediction.step_seconds));
  if (cases.size() > 1 && is_ranked(cases[1])) {
    text +=
        fmt::format(", {} times as fast as the runner-up, {}",
                    format_ratio(cases[1].prediction.step_seconds / best.prediction.step_seconds), name_of(cases[1]));
  }
  return text + ". This is a simulation; a run measures it.\n";
}

}  // namespace

std::string format_predictions(const std::vector<PredictedCase>& cases) {
  std::vector<std::vector<PredictedCase>> contracts;
  std::map<std::string, std::size_t> places;  ///< index into `contracts`
  for (const PredictedCase& entry : cases) {
    const auto [place, is_new] = places.emplace(entry.which.contract_id, contracts.size());
    if (is_new) contracts.emplace_back();
    contracts[place->second].push_back(entry);
  }
  std::string text;
  for (std::vector<PredictedCase>& own : contracts) {
    std::stable_sort(own.begin(), own.end(), [](const PredictedCase& a, const PredictedCase& b) {
      if (is_ranked(a) != is_ranked(b)) return is_ranked(a);
      return a.prediction.step_seconds < b.prediction.step_seconds;
    });
    text += fmt::format("predicted, global batch {} (contract {})\n{}{}", own.front().which.global_batch,
                        own.front().which.contract_id, table(own), recommendation(own));
  }
  return text;
}

std::string format_prediction_progress(const std::string& case_id, std::size_t done, std::size_t all, double seconds) {
  constexpr double quiet_seconds = 10;
  if (seconds < quiet_seconds || done == all) return "";
  return fmt::format("{}: predicted ({} of {}), about {} left", case_id, done, all,
                     format_duration(seconds / static_cast<double>(done) * static_cast<double>(all - done)));
}

}  // namespace ddlbench::bench
