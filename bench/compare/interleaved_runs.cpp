#include "bench/compare/interleaved_runs.h"

#include <fmt/core.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/stopwatch.h"
#include "base/units.h"
#include "bench/launcher/round_order.h"
#include "bench/records/rounds.h"
#include "bench/statistics/interval.h"
#include "bench/statistics/paired_differences.h"

namespace ddlbench::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int fewest_complete_rounds = 2;  ///< for an interval
constexpr int fewest_precise_rounds = 4;   ///< before precision can end them
constexpr std::uint64_t seed = 1;

Turn turn_of(const CaseRecord& record) {
  return {record.case_id, false};
}

/// Sets the step times of a contestant's cases to those of their rounds.
void set_times(RunResults& results, const std::vector<VisitRecord>& visits) {
  const Rounds rounds(visits);
  for (CaseRow& row : results.rows) {
    const std::vector<double> times = rounds.log_times(turn_of(row.record));
    if (times.empty() || !row.record.measurement) continue;
    row.record.measurement->step_seconds = std::exp(hodges_lehmann(times));
    row.record.measurement->rounds = static_cast<int>(times.size());
  }
}

}  // namespace

std::vector<CasePair> pair_contestants(const RunResults& old_results, const RunResults& new_results) {
  std::vector<CasePair> pairs = pair_cases(old_results, new_results);
  std::vector<CasePair*> only_old, only_new;
  for (CasePair& pair : pairs) {
    if (pair.old_case && pair.new_case) {
      pair.why = why_incomparable(*pair.old_case, *pair.new_case);
    } else {
      (pair.old_case ? only_old : only_new).push_back(&pair);
    }
  }
  if (only_old.size() != only_new.size()) return pairs;
  for (std::size_t i = 0; i < only_old.size(); ++i) {
    only_new[i]->old_case = std::exchange(only_old[i]->old_case, nullptr);
    only_new[i]->why = why_incomparable(*only_new[i]->old_case, *only_new[i]->new_case);
  }
  std::erase_if(pairs, [](const CasePair& pair) { return !pair.old_case && !pair.new_case; });
  return pairs;
}

std::int64_t steps_per_visit(const RunResults& results) {
  constexpr double usual_seconds = 0.5, most_seconds = 5, fewest = 3, most = 100'000;
  const nlohmann::json::json_pointer setting("/measure/visit_seconds");
  const bool has_setting = results.config.is_object() && results.config.contains(setting);
  const double seconds = has_setting ? results.config.at(setting).get<double>() : usual_seconds;
  double fastest = INFINITY, slowest = 0;
  for (const CaseRow& row : results.rows) {
    const Measurement* measured = timed_measurement(row.record);
    if (measured == nullptr) continue;
    fastest = std::min(fastest, measured->step_seconds);
    slowest = std::max(slowest, measured->step_seconds);
  }
  if (slowest == 0) return static_cast<std::int64_t>(fewest);
  const double steps = std::min(std::ceil(seconds / fastest), std::floor(std::max(most_seconds, seconds) / slowest));
  return static_cast<std::int64_t>(std::clamp(steps, fewest, most));
}

/// Returns the time of the steps of one visit.
double timed_seconds(const RunResults& results, std::int64_t steps) {
  double seconds = 0;
  for (const CaseRow& row : results.rows) {
    if (const Measurement* measured = timed_measurement(row.record))
      seconds += static_cast<double>(steps) * measured->step_seconds;
  }
  return seconds;
}

InterleavedRuns::InterleavedRuns(ContestantRuns old_runs, ContestantRuns new_runs, RoundLimits limits,
                                 std::ostream& notes)
    : old_{std::move(old_runs)},
      new_{std::move(new_runs)},
      limits_(limits),
      notes_(notes),
      own_cache_(old_.runs.contestant().program != new_.runs.contestant().program) {}

void InterleavedRuns::run() {
  if (!old_.runs.validate() || !new_.runs.validate()) return;
  notes_ << "ddlbench: OLD and NEW first run once each, to verify their cases" << std::endl;
  const Clock::time_point begin = Clock::now();
  if (!prepare(old_) || !prepare(new_)) return;
  pairs_ = pair_contestants(old_.results, new_.results);
  if (std::all_of(pairs_.begin(), pairs_.end(), [](const CasePair& pair) { return !pair.why.empty(); })) return;
  announce(visits_per_round * (seconds_since(begin) + timed_seconds(old_.results, old_.visit_steps) +
                               timed_seconds(new_.results, new_.visit_steps)));
  try {
    run_rounds();
  } catch (const InputError& error) {  // what the complete rounds show remains valid
    why_ended_ = error.what();
  }
}

void InterleavedRuns::announce(double round_seconds) {
  const std::string end =
      limits_.rounds
          ? "after about " + format_duration(*limits_.rounds * round_seconds)
          : "after at most " + format_duration(std::max(limits_.max_seconds, fewest_complete_rounds * round_seconds));
  notes_ << fmt::format("ddlbench: then they take turns; a round of four visits takes about {}, and the rounds end {}",
                        format_duration(round_seconds), end)
         << std::endl;
}

void InterleavedRuns::run_rounds() {
  const Clock::time_point begin = Clock::now();
  double longest_seconds = 0;
  for (int round = 1;; ++round) {
    const Clock::time_point round_begin = Clock::now();
    if (!run_round(round)) return;
    complete_rounds_ = round;
    longest_seconds = std::max(longest_seconds, seconds_since(round_begin));
    if (limits_.rounds && round >= *limits_.rounds) return;
    if (limits_.rounds) continue;
    if (round >= fewest_complete_rounds && seconds_since(begin) + longest_seconds > limits_.max_seconds) return;
    if (round >= fewest_precise_rounds && is_precise()) return;
  }
}

bool InterleavedRuns::prepare(Side& side) {
  std::optional<RunResults> results = side.runs.prepare();
  if (!results) return false;
  side.results = std::move(*results);
  side.visit_steps = steps_per_visit(side.results);
  return true;
}

bool InterleavedRuns::run_round(int round) {
  Side* const sides[] = {&old_, &new_};
  const std::vector<std::size_t> order = round_order(std::size(sides), round, seed);
  notes_ << fmt::format("ddlbench: round {}:", round);
  for (const std::size_t i : order) notes_ << ' ' << sides[i]->runs.contestant().name;
  notes_ << std::endl;
  int place = 0;
  for (const std::size_t i : order) {
    if (!visit(*sides[i], round, ++place)) return false;
  }
  return true;
}

bool InterleavedRuns::visit(Side& side, int round, int place) {
  const std::optional<RunResults> results = side.runs.visit(round, place, side.visit_steps, own_cache_);
  if (!results) return false;
  for (const CaseRow& row : results->rows) {
    VisitRecord& record = side.visits.emplace_back();
    record.case_id = row.record.case_id;
    record.round = round;
    record.status = row.record.status;
    if (const Measurement* measured = timed_measurement(row.record)) record.step_seconds = measured->step_seconds;
    if (row.record.status == Status::ok) continue;
    side.failures.emplace(record.case_id, fmt::format("in round {} of {}: {}: {}", round, side.runs.contestant().name,
                                                      name(row.record.status), row.record.status_reason));
  }
  return true;
}

std::vector<double> InterleavedRuns::log_ratios(const CasePair& pair) const {
  return paired_differences(Rounds(old_.visits).log_seconds(turn_of(*pair.old_case)),
                            Rounds(new_.visits).log_seconds(turn_of(*pair.new_case)));
}

bool InterleavedRuns::is_precise() const {
  return std::all_of(pairs_.begin(), pairs_.end(), [this](const CasePair& pair) {
    if (!pair.why.empty()) return true;
    const std::vector<double> ratios = log_ratios(pair);
    return ratios.empty() || location(ratios, seed).half_width() <= std::log1p(limits_.margin) / 2;
  });
}

bool InterleavedRuns::has_failures() const {
  const auto any = [](const Side& side) {
    return !side.failures.empty() || std::any_of(side.results.rows.begin(), side.results.rows.end(),
                                                 [](const CaseRow& row) { return is_failure(row.record); });
  };
  return any(old_) || any(new_);
}

std::vector<ComparedCase> InterleavedRuns::cases() {
  set_times(old_.results, old_.visits);
  set_times(new_.results, new_.visits);
  const double margin = std::log1p(limits_.margin);
  std::vector<ComparedCase> cases;
  for (const CasePair& pair : pairs_) {
    ComparedCase& one = cases.emplace_back();
    one.cases = pair;
    one.margins = {margin, margin};
    if (!pair.why.empty()) continue;
    if (const auto failed = old_.failures.find(pair.old_case->case_id); failed != old_.failures.end())
      one.cases.why = failed->second;
    if (const auto failed = new_.failures.find(pair.new_case->case_id); failed != new_.failures.end())
      one.cases.why = failed->second;
    const std::vector<double> ratios = log_ratios(pair);
    if (one.cases.why.empty() && ratios.empty()) one.cases.why = "no round is complete";
    if (one.cases.why.empty()) one.times = compare_paired(ratios, seed);
  }
  decide(cases);
  return cases;
}

}  // namespace ddlbench::bench
