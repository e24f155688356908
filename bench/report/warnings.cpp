#include "bench/report/warnings.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/counted.h"
#include "base/printable.h"
#include "base/units.h"

namespace ddlbench::bench {
namespace {

constexpr double noticeable = 0.10;

double spread_of(const RankedCase& entry) {
  return entry.record.measurement->round_spread_ratio.value_or(0);
}

std::string of_spread(const RankedCase& entry) {
  const Measurement& m = *entry.record.measurement;
  return fmt::format(
      "this machine was busy or changed its speed: the step time of {} differs by {} between rounds; others "
      "disturbed {} of its visits (visits.csv); measure again on a quiet machine for narrower intervals",
      entry.record.case_id, format_percentage(spread_of(entry), 1), m.disturbed_visits.value_or(0));
}

/// Returns the time of a step in the epochs over that of a timed step; 1 if unknown.
double epoch_ratio(const RankedCase& entry) {
  const Measurement& m = *entry.record.measurement;
  const auto steps = static_cast<double>(m.steps_per_epoch.value_or(0));
  return steps > 0 && m.epoch_seconds > 0 ? m.epoch_seconds / steps / m.step_seconds : 1;
}

double epoch_difference(const RankedCase& entry) {
  return std::abs(epoch_ratio(entry) - 1);
}

std::string of_epochs(const RankedCase& entry) {
  const Measurement& m = *entry.record.measurement;
  return fmt::format("{} took {} per step in its epochs, but {} when its steps were timed: trust neither to {}",
                     entry.record.case_id, format_seconds(epoch_ratio(entry) * m.step_seconds),
                     format_seconds(m.step_seconds), format_percentage(noticeable, 1));
}

double excess_speedup(const RankedCase& entry) {
  return entry.comparison.speedup_low_ratio.value_or(0) / entry.record.ranks - 1;
}

std::string of_speedup(const RankedCase& entry) {
  return fmt::format("the speedup of {} ({}) exceeds its {} ranks: its baseline {} may be slower than it could be",
                     entry.record.case_id, format_ratio(*entry.comparison.speedup_ratio), entry.record.ranks,
                     entry.comparison.baseline_case_id);
}

double prediction_error(const RankedCase& entry) {
  const Measurement& m = *entry.record.measurement;
  return m.prediction ? std::abs(std::log2(m.step_seconds / m.prediction->step_seconds)) : 0;
}

std::string of_prediction(const RankedCase& entry) {
  const Measurement& m = *entry.record.measurement;
  return fmt::format("{} took {} per step, but {} were predicted: see `Prediction` in docs/results.md",
                     entry.record.case_id, format_seconds(m.step_seconds), format_seconds(m.prediction->step_seconds));
}

double input_share(const RankedCase& entry) {
  const Measurement& m = *entry.record.measurement;
  return m.budget.input / m.step_seconds;
}

std::string of_input(const RankedCase& entry) {
  return fmt::format("{} waits for input for {} of its step: the loader limits it, see workload/loader/workers",
                     entry.record.case_id, format_percentage(input_share(entry), 1));
}

/// Returns the column rank_speeds as numbers.
std::vector<double> rank_speeds(const RankedCase& entry) {
  std::vector<double> speeds;
  std::istringstream text(entry.record.measurement->rank_speeds.value_or(""));
  for (std::string word; std::getline(text, word, ',');) speeds.push_back(std::strtod(word.c_str(), nullptr));
  return speeds;
}

/// The slowest and the fastest rank.
struct Extremes {
  std::ptrdiff_t slowest = 0, fastest = 0;
  double ratio = 1;
};
Extremes extremes_of(const std::vector<double>& speeds) {
  if (speeds.empty()) return {};
  const auto [slowest, fastest] = std::minmax_element(speeds.begin(), speeds.end());
  return {slowest - speeds.begin(), fastest - speeds.begin(), *fastest / *slowest};
}

double difference_of_speeds(const RankedCase& entry) {
  return extremes_of(rank_speeds(entry)).ratio - 1;
}

std::string of_speeds(const RankedCase& entry) {
  const Extremes ranks = extremes_of(rank_speeds(entry));
  return fmt::format(
      "rank {} of {} computed {} times as long as rank {} for equal work; if it also does so on a quiet machine, "
      R"({{"kind": "balanced", "speeds": [{}]}} gives the ranks samples in proportion)",
      ranks.slowest, entry.record.case_id, format_ratio(ranks.ratio), ranks.fastest,
      *entry.record.measurement->rank_speeds);
}

struct Check {
  std::function<double(const RankedCase&)> size;
  double limit;  ///< a larger size gives a warning
  std::function<std::string(const RankedCase&)> text;
  bool several_ranks_only = false;
};

const std::vector<Check>& checks() {
  static const std::vector<Check> all{
      {spread_of, noticeable, of_spread},    {epoch_difference, noticeable, of_epochs},
      {excess_speedup, 0, of_speedup, true}, {prediction_error, 1, of_prediction},
      {input_share, noticeable, of_input},   {difference_of_speeds, 2 * noticeable, of_speeds, true}};
  return all;
}

}  // namespace

std::vector<std::string> warnings_of(const Ranking& ranking) {
  std::vector<std::string> warnings;
  for (const Check& check : checks()) {
    const RankedCase* worst = nullptr;
    int found = 0;
    for (const RankedCase& entry : ranking.ranked) {
      if (check.several_ranks_only && entry.record.ranks == 1) continue;
      if (check.size(entry) <= check.limit) continue;
      ++found;
      if (worst == nullptr || check.size(entry) > check.size(*worst)) worst = &entry;
    }
    if (worst == nullptr) continue;
    const std::string more = found > 1 ? "; " + counted(found - 1, "more case") : "";
    warnings.push_back(printable(check.text(*worst) + more));
  }
  return warnings;
}

std::string format_warnings(const std::vector<Ranking>& rankings) {
  std::string text;
  for (const Ranking& ranking : rankings) {
    for (const std::string& warning : warnings_of(ranking)) text += "warning: " + warning + "\n";
  }
  return text;
}

}  // namespace ddlbench::bench
