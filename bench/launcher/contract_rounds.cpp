#include "bench/launcher/contract_rounds.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>

#include "base/stopwatch.h"
#include "base/units.h"
#include "bench/config/variants.h"
#include "bench/launcher/round_order.h"
#include "bench/launcher/visit_steps.h"
#include "bench/records/paired_verdicts.h"
#include "bench/statistics/interval.h"

namespace ddlbench::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int fewest_rounds = 3;         ///< before precision can end them, or a case can leave
constexpr int fewest_useful_rounds = 2;  ///< for an interval

std::size_t baseline_of(const std::vector<Participant>& participants) {
  std::size_t best = 0;
  const auto rank_and_time = [](const Participant& one) { return std::pair(one.which.ranks > 1, one.step_seconds); };
  for (std::size_t i = 1; i < participants.size(); ++i) {
    if (rank_and_time(participants[i]) < rank_and_time(participants[best])) best = i;
  }
  return best;
}

double half_width(const std::vector<double>& values, std::uint64_t seed) {
  return values.empty() ? INFINITY : location(values, seed).half_width();
}

}  // namespace

ContractRounds::ContractRounds(const Experiment& experiment, std::vector<Participant> participants, Executor& executor,
                               RecordStore& store, ProgressDisplay& display, Deadline deadline)
    : experiment_(experiment),
      measure_(experiment.measure),
      participants_(std::move(participants)),
      executor_(executor),
      store_(store),
      display_(display),
      deadline_(deadline),
      control_(baseline_of(participants_)),
      has_left_(participants_.size(), false) {}

std::vector<ContractRounds::Place> ContractRounds::places() const {
  std::vector<Place> all;
  for (std::size_t i = 0; i < participants_.size(); ++i) {
    if (has_left_[i]) continue;
    all.push_back({i, false});
    if (i == control_ && participants_.size() > 1) all.push_back({i, true});
  }
  return all;
}

std::int64_t ContractRounds::steps_of_visit(const Participant& participant) const {
  return visit_steps(measure_.visit_seconds, participant.step_seconds);
}

double ContractRounds::expected_visit_seconds(const Participant& participant) const {
  const auto steps = static_cast<double>(measure_.warmup_steps + steps_of_visit(participant));
  return participant.setup_seconds + steps * participant.step_seconds;
}

double ContractRounds::expected_round_seconds() const {
  double seconds = 0;
  for (const Place& place : places()) {
    std::vector<double> durations;
    for (const VisitRecord& visit : visits_) {
      if (visit.case_id == participants_[place.participant].which.id) durations.push_back(visit.duration_seconds);
    }
    const double one =
        durations.empty() ? expected_visit_seconds(participants_[place.participant]) : hodges_lehmann(durations);
    seconds += visits_per_round * one;
  }
  return seconds;
}

RoundsEnd ContractRounds::run() {
  begin_ = Clock::now();
  const std::string& contract = participants_.front().which.contract_id;
  const double round_seconds = expected_round_seconds();
  if (fewest_useful_rounds * round_seconds > measure_.max_seconds) {
    store_.add(RoundsRecord{contract, measure_.precision, "max_seconds"});
    return {fmt::format(
        "no rounds: two would take about {}, longer than measure/max_seconds ({}); the intervals of step times show "
        "only the noise within one process",
        format_duration(fewest_useful_rounds * round_seconds), format_duration(measure_.max_seconds))};
  }
  if (fewest_useful_rounds * round_seconds > seconds_until(deadline_)) {
    return {fmt::format("no rounds: two would take about {}, longer than what is left of the time limit",
                        format_duration(fewest_useful_rounds * round_seconds)),
            true};
  }
  store_.begin_rounds(contract);
  std::string ended_by;
  for (int round = 1; ended_by.empty(); ++round) {
    if (!run_round(round)) return {};
    if (round >= fewest_rounds && decision_half_width() <= std::log1p(measure_.precision)) {
      ended_by = "precision";
    } else if (round >= fewest_useful_rounds &&
               seconds_since(begin_) + expected_round_seconds() > measure_.max_seconds) {
      ended_by = "max_seconds";
    } else if (places().empty()) {
      ended_by = "failures";
    } else if (expected_round_seconds() > seconds_until(deadline_)) {
      return {"", true};
    } else if (round >= fewest_rounds) {
      release_settled();
    }
  }
  store_.add(RoundsRecord{contract, measure_.precision, ended_by});
  return {};
}

bool ContractRounds::run_round(int round) {
  const std::vector<Place> all = places();
  int number = 0;
  for (const std::size_t i : round_order(all.size(), round, participants_.front().which.seed)) {
    if (has_left_[all[i].participant]) continue;
    VisitRecord record;
    record.round = round;
    record.place = ++number;
    if (!visit(all[i], record)) return false;
    store_.add(record);
    visits_.push_back(record);
  }
  return true;
}

bool ContractRounds::visit(const Place& place, VisitRecord& record) {
  if (!executor_.why_ended().empty()) return false;
  const Participant& participant = participants_[place.participant];
  record.case_id = participant.which.id;
  record.control = place.control;
  display_.turn(record.round, record.case_id);
  record.elapsed_seconds = seconds_since(begin_);
  record.compute_probe_seconds = probe_.compute_seconds();
  record.memory_probe_seconds = probe_.memory_seconds();
  const double core_probe = probe_.slowest_core_seconds();
  record.core_probe_seconds = core_probe;
  least_core_probe_ = std::min(least_core_probe_, core_probe);

  Case which = participant.which;
  which.visit_steps = steps_of_visit(participant);
  which.collective_choices = participant.collective_choices;
  const NeighbourMeter neighbours(executor_.waits_for_processes());
  const Clock::time_point begin = Clock::now();
  const Outcome outcome =
      executor_.run({of_case(experiment_, which), which, ""}, log_of_visits(store_.folder(), which.id),
                    {[](const Message&) {}, [this](const UtilisationRecord&) { display_.tick(); }});
  record.duration_seconds = seconds_since(begin);
  neighbours.note(record);
  record.disturbed |= has_slow_core(core_probe, least_core_probe_);
  if (executor_.stop_signal() != 0) return false;
  record.status = outcome.status;
  record.status_reason = outcome.reason;
  has_left_[place.participant] = outcome.status != Status::ok;
  if (outcome.measurement) {
    record.steps = which.visit_steps;
    record.step_seconds = outcome.measurement->step_seconds;
    record.budget = outcome.measurement->budget;
  }
  return true;
}

std::vector<std::size_t> ContractRounds::decisive(const Rounds& rounds) const {
  std::vector<std::pair<double, std::size_t>> measured;
  for (std::size_t i = 0; i < participants_.size(); ++i) {
    const std::vector<double> times = rounds.log_times({participants_[i].which.id, false});
    if (!times.empty()) measured.emplace_back(hodges_lehmann(times), i);
  }
  std::sort(measured.begin(), measured.end());
  std::vector<std::size_t> found;
  for (const auto& [time, i] : measured) {
    const bool is_first_on_one_rank =
        participants_[i].which.ranks == 1 && std::none_of(found.begin(), found.end(), [&](std::size_t other) {
          return participants_[other].which.ranks == 1;
        });
    if (found.size() < 2 || is_first_on_one_rank) found.push_back(i);
  }
  return found;
}

double ContractRounds::decision_half_width() const {
  const Rounds rounds(visits_);
  const std::vector<std::size_t> cases = decisive(rounds);
  if (cases.empty()) return 0;
  const Case& first = participants_[cases.front()].which;
  if (cases.size() == 1) return half_width(rounds.log_times({first.id, false}), first.seed);
  double widest = 0;
  for (auto other = cases.begin() + 1; other != cases.end(); ++other) {
    const std::string& id = participants_[*other].which.id;
    widest = std::max(widest, half_width(rounds.log_ratios({first.id, false}, {id, false}), first.seed));
  }
  return widest;
}

void ContractRounds::release_settled() {
  const Rounds rounds(visits_);
  const std::vector<std::size_t> cases = decisive(rounds);
  if (cases.empty()) return;
  std::vector<std::string> ids;
  for (const Participant& one : participants_) ids.push_back(one.which.id);
  const PairedVerdicts verdicts(rounds, ids, measure_.precision, participants_.front().which.seed);
  const std::string& first = participants_[cases.front()].which.id;
  for (std::size_t i = 0; i < participants_.size(); ++i) {
    const bool is_decisive = i == control_ || std::find(cases.begin(), cases.end(), i) != cases.end();
    if (!is_decisive && verdicts.verdict(first, participants_[i].which.id) == Verdict::faster) has_left_[i] = true;
  }
}

}  // namespace ddlbench::bench
