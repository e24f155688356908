#include "bench/compare/interleaved_runs.h"

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/stopwatch.h"
#include "base/units.h"
#include "bench/launcher/round_order.h"
#include "bench/records/rounds.h"
#include "bench/statistics/interval.h"
#include "bench/statistics/paired_differences.h"
#include "platform/available_memory.h"

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

/// Returns the number of machines that a run used; 1 if its version did not record it.
std::size_t hosts_of(const RunResults& results) {
  return results.environment.is_object() && results.environment.contains("hosts") ? results.environment["hosts"].size()
                                                                                  : 1;
}

/// Returns `measure/visit_seconds`; half a second in versions without it.
double visit_seconds_of(const RunResults& results) {
  const nlohmann::json::json_pointer setting("/measure/visit_seconds");
  const bool has_setting = results.config.is_object() && results.config.contains(setting);
  return has_setting ? results.config.at(setting).get<double>() : 0.5;
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

InterleavedRuns::InterleavedRuns(ContestantRuns old_runs, ContestantRuns new_runs, RoundLimits limits,
                                 const StopSignals& signals, std::ostream& notes)
    : old_{std::move(old_runs)},
      new_{std::move(new_runs)},
      limits_(limits),
      signals_(signals),
      notes_(notes),
      own_cache_(old_.runs.contestant().program != new_.runs.contestant().program) {}

void InterleavedRuns::run() {
  if (!old_.runs.validate() || !new_.runs.validate()) return;
  notes_ << "ddlbench: OLD and NEW first run once each, to verify their cases" << std::endl;
  const Clock::time_point begin = Clock::now();
  if (!prepare(old_) || !prepare(new_)) return;
  pairs_ = pair_contestants(old_.results, new_.results);
  start_pairs();
  if (running_.empty()) return;
  announce(visits_per_round * (seconds_since(begin) + timed_seconds()));
  try {
    run_rounds();
  } catch (const InputError& error) {  // what the complete rounds show remains valid
    why_ended_ = error.what();
  }
}

void InterleavedRuns::start_pairs() {
  const VisitPlace place{hosts_of(old_.results) <= 1 && hosts_of(new_.results) <= 1,
                         std::getenv("SLURM_JOB_ID") != nullptr, platform::available_memory().machine.bytes};
  const double seconds = std::max(visit_seconds_of(old_.results), visit_seconds_of(new_.results));
  for (const CasePair& pair : pairs_) {
    if (pair.why.empty()) running_.push_back({&pair, plan_visits(pair, seconds, place)});
  }
}

double InterleavedRuns::timed_seconds() const {
  double seconds = 0;
  for (const RunningPair& running : running_) {
    seconds += static_cast<double>(running.plan.old_steps) * timed_measurement(*running.pair->old_case)->step_seconds;
    seconds += static_cast<double>(running.plan.new_steps) * timed_measurement(*running.pair->new_case)->step_seconds;
  }
  return seconds;
}

void InterleavedRuns::announce(double round_seconds) {
  for (const RunningPair& running : running_) {
    const std::string how = running.plan.turn ? fmt::format("at once, in turns of {} ms", running.plan.turn->count())
                                              : "one after the other: " + running.plan.why_no_turns;
    notes_ << fmt::format("ddlbench: OLD and NEW run {} {}\n", running.pair->old_case->case_id, how);
  }
  const std::string end =
      limits_.rounds
          ? "after about " + format_duration(*limits_.rounds * round_seconds)
          : "after at most " + format_duration(std::max(limits_.max_seconds, fewest_complete_rounds * round_seconds));
  notes_ << fmt::format("ddlbench: a round of four visits takes about {}, and the rounds end {}",
                        format_duration(round_seconds), end)
         << std::endl;
}

void InterleavedRuns::run_rounds() {
  const Clock::time_point begin = Clock::now();
  for (int round = 1; run_round(round); ++round) {
    complete_rounds_ = round;
    const bool may_end = !limits_.rounds && round >= fewest_precise_rounds;
    std::erase_if(running_,
                  [&](const RunningPair& one) { return has_failed(*one.pair) || (may_end && is_precise(*one.pair)); });
    if (limits_.rounds && round >= *limits_.rounds) return;
    double next_seconds = 0;
    for (const RunningPair& running : running_) next_seconds += running.longest_seconds;
    const bool has_time = limits_.rounds || seconds_since(begin) + next_seconds <= limits_.max_seconds;
    if (running_.empty() || (round >= fewest_complete_rounds && !has_time)) return;
  }
}

bool InterleavedRuns::prepare(Side& side) {
  std::optional<RunResults> results = side.runs.prepare();
  if (!results) return false;
  side.results = std::move(*results);
  return true;
}

bool InterleavedRuns::run_round(int round) {
  notes_ << fmt::format("ddlbench: round {}: {} visits", round, 4 * running_.size()) << std::endl;
  const std::vector<std::size_t> order = round_order(running_.size(), round, seed);
  std::vector<double> seconds(running_.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Clock::time_point begin = Clock::now();
    const bool mirrored = i >= running_.size();
    const bool old_first = round_order(2, round, seed + 1 + order[i]).front() == 0;
    if (!visit_both(running_[order[i]], round, static_cast<int>(2 * i + 1), old_first != mirrored)) return false;
    seconds[order[i]] += seconds_since(begin);
  }
  for (std::size_t i = 0; i < seconds.size(); ++i)
    running_[i].longest_seconds = std::max(running_[i].longest_seconds, seconds[i]);
  return true;
}

bool InterleavedRuns::visit_both(const RunningPair& running, int round, int place, bool old_first) {
  struct Turn {
    Side* side;
    Visit visit;
  };
  std::array turns{Turn{&old_, {running.pair->old_case->case_id, round, place, running.plan.old_steps, own_cache_}},
                   Turn{&new_, {running.pair->new_case->case_id, round, place, running.plan.new_steps, own_cache_}}};
  if (!old_first) std::swap(turns.front(), turns.back());
  ++turns.back().visit.place;
  std::vector<ProgramStart> starts;
  for (const Turn& turn : turns) starts.push_back(turn.side->runs.start_of(turn.visit));
  const std::vector<ProgramEnd> ends =
      running.plan.turn ? run_alternately(starts, *running.plan.turn, signals_) : run_successively(starts, signals_);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i].stopped) return false;
    note_visit(*turns[i].side, turns[i].visit, ends[i]);
  }
  return true;
}

void InterleavedRuns::note_visit(Side& side, const Visit& visit, const ProgramEnd& end) {
  for (const CaseRow& row : side.runs.results_of(visit, end).rows) {
    VisitRecord& record = side.visits.emplace_back();
    record.case_id = row.record.case_id;
    record.round = visit.round;
    record.status = row.record.status;
    if (const Measurement* measured = timed_measurement(row.record)) record.step_seconds = measured->step_seconds;
    if (row.record.status == Status::ok) continue;
    side.failures.emplace(record.case_id,
                          fmt::format("in round {} of {}: {}: {}", visit.round, side.runs.contestant().name,
                                      name(row.record.status), row.record.status_reason));
  }
}

std::vector<double> InterleavedRuns::log_ratios(const CasePair& pair) const {
  return paired_differences(Rounds(old_.visits).log_seconds(turn_of(*pair.old_case)),
                            Rounds(new_.visits).log_seconds(turn_of(*pair.new_case)));
}

bool InterleavedRuns::has_failed(const CasePair& pair) const {
  return old_.failures.contains(pair.old_case->case_id) || new_.failures.contains(pair.new_case->case_id);
}

bool InterleavedRuns::is_precise(const CasePair& pair) const {
  return location(log_ratios(pair), seed).half_width() <= std::log1p(limits_.margin) / 2;
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
