#include "bench/compare/interleaved_runs.h"

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
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
constexpr std::size_t fewest_precise_rounds = 6;
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

/// Returns a setting of the run, or `otherwise` in versions without it.
double setting_of(const RunResults& results, const char* pointer, double otherwise) {
  const nlohmann::json::json_pointer setting(pointer);
  const bool has_setting = results.config.is_object() && results.config.contains(setting);
  return has_setting ? results.config.at(setting).get<double>() : otherwise;
}

VisitConditions conditions_of(const RunResults& old_results, const RunResults& new_results) {
  const VisitConditions usual;
  const auto of_both = [&](const char* pointer, double otherwise) {
    return std::minmax({setting_of(old_results, pointer, otherwise), setting_of(new_results, pointer, otherwise)});
  };
  return {of_both("/measure/visit_seconds", usual.visit_seconds).second,
          of_both("/measure/timeout_seconds", usual.timeout_seconds).first, platform::available_memory().machine.bytes};
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

bool are_precise(const std::vector<double>& log_ratios, double margin) {
  return log_ratios.size() >= fewest_precise_rounds &&
         location(log_ratios, seed).half_width() <= std::log1p(margin) / 2;
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
  if (!prepare(old_) || !prepare(new_)) return;
  pairs_ = pair_contestants(old_.results, new_.results);
  start_pairs();
  try {
    run_rounds();
  } catch (const InputError& error) {  // what the complete rounds show remains valid
    why_ended_ = error.what();
  }
}

void InterleavedRuns::start_pairs() {
  const VisitConditions conditions = conditions_of(old_.results, new_.results);
  for (const CasePair& pair : pairs_) {
    if (!pair.why.empty()) continue;
    const VisitPlan& plan = running_.emplace_back(RunningPair{&pair, plan_visits(pair, conditions)}).plan;
    const std::string how = plan.time_slice ? fmt::format("at once, in time slices of {} ms", plan.time_slice->count())
                                            : "one after the other: " + plan.why_no_slices;
    notes_ << fmt::format("ddlbench: OLD and NEW run {} {}", pair.old_case->case_id, how) << std::endl;
  }
}

void InterleavedRuns::announce(double round_seconds) {
  const std::string end =
      limits_.rounds
          ? "after about " + format_duration(*limits_.rounds * round_seconds)
          : "after at most " + format_duration(std::max(limits_.max_seconds, fewest_complete_rounds * round_seconds));
  notes_ << fmt::format("ddlbench: this round took {}; the rounds end {}", format_duration(round_seconds), end)
         << std::endl;
}

double InterleavedRuns::next_round_seconds() const {
  return std::accumulate(running_.begin(), running_.end(), 0.0,
                         [](double sum, const RunningPair& running) { return sum + running.longest_seconds; });
}

void InterleavedRuns::run_rounds() {
  const Clock::time_point begin = Clock::now();
  for (int round = 1; !running_.empty() && run_round(round); ++round) {
    complete_rounds_ = round;
    if (round == 1) announce(next_round_seconds());
    std::erase_if(running_, [&](const RunningPair& running) {
      const CasePair& pair = *running.pair;
      return has_failed(pair) || (!limits_.rounds && are_precise(log_ratios(pair), limits_.margin));
    });
    if (round == limits_.rounds) return;
    const bool has_time = limits_.rounds || seconds_since(begin) + next_round_seconds() <= limits_.max_seconds;
    if (round >= fewest_complete_rounds && !has_time) return;
  }
}

bool InterleavedRuns::prepare(Side& side) {
  std::optional<RunResults> results = side.runs.prepare();
  if (!results) return false;
  side.results = std::move(*results);
  return true;
}

bool InterleavedRuns::run_round(int round) {
  notes_ << fmt::format("ddlbench: round {}: {} visits", round, 2 * visits_in_order * running_.size()) << std::endl;
  const std::vector<std::size_t> order = round_order(running_.size(), round, seed);
  std::vector<double> seconds(running_.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Clock::time_point begin = Clock::now();
    const RunningPair& running = running_[order[i]];
    const bool mirrored = i >= running_.size();
    if (own_cache_ && !mirrored && !choose_kernels(running, round)) return false;
    const bool old_first = round_order(2, round, seed + 1 + order[i]).front() == 0;
    if (!visit_both(running, round, static_cast<int>(2 * i + 1), old_first != mirrored)) return false;
    seconds[order[i]] += seconds_since(begin);
  }
  for (std::size_t i = 0; i < seconds.size(); ++i)
    running_[i].longest_seconds = std::max(running_[i].longest_seconds, seconds[i]);
  return true;
}

bool InterleavedRuns::choose_kernels(const RunningPair& running, int round) {
  for (const auto& [side, visit] : visits_of(running, round)) {
    const ProgramEnd end = run_program(side->runs.start_of(visit), signals_);
    if (end.stopped) return false;
    side->runs.results_of(visit, end);
  }
  return true;
}

bool InterleavedRuns::visit_both(const RunningPair& running, int round, int place, bool old_first) {
  auto visits = visits_of(running, round);
  if (!old_first) std::swap(visits.front(), visits.back());
  std::vector<ProgramStart> starts;
  for (auto& [side, visit] : visits) {
    visit.place = place++;
    visit.steps = side == &old_ ? running.plan.old_steps : running.plan.new_steps;
    starts.push_back(side->runs.start_of(visit));
  }
  const std::vector<ProgramEnd> ends = running.plan.time_slice
                                           ? run_alternately(starts, *running.plan.time_slice, signals_)
                                           : run_successively(starts, signals_);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i].stopped) return false;
    note_visit(*visits[i].side, visits[i].visit, ends[i]);
  }
  return true;
}

std::array<InterleavedRuns::SideVisit, 2> InterleavedRuns::visits_of(const RunningPair& running, int round) {
  const auto visit = [&](const CaseRecord& record) { return Visit{record.case_id, round, 0, 1, own_cache_}; };
  return {SideVisit{&old_, visit(*running.pair->old_case)}, SideVisit{&new_, visit(*running.pair->new_case)}};
}

void InterleavedRuns::note_visit(Side& side, const Visit& visit, const ProgramEnd& end) {
  const std::string& name_of_side = side.runs.contestant().name;
  const RunResults results = side.runs.results_of(visit, end);
  if (results.rows.size() != 1 || results.rows.front().record.case_id != visit.case_id)
    throw InputError(fmt::format("{} has no results of {} in {}", name_of_side, visit.case_id, results.folder));
  const CaseRecord& record = results.rows.front().record;
  VisitRecord& noted = side.visits.emplace_back();
  noted.case_id = visit.case_id;
  noted.round = visit.round;
  noted.status = record.status;
  if (const Measurement* measured = timed_measurement(record)) noted.step_seconds = measured->step_seconds;
  if (record.status == Status::ok) return;
  side.failures.emplace(visit.case_id, fmt::format("in round {} of {}: {}: {}", visit.round, name_of_side,
                                                   name(record.status), record.status_reason));
}

std::vector<double> InterleavedRuns::log_ratios(const CasePair& pair) const {
  return paired_differences(Rounds(old_.visits).log_seconds(turn_of(*pair.old_case)),
                            Rounds(new_.visits).log_seconds(turn_of(*pair.new_case)));
}

bool InterleavedRuns::has_failed(const CasePair& pair) const {
  return old_.failures.contains(pair.old_case->case_id) || new_.failures.contains(pair.new_case->case_id);
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
