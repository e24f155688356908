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

constexpr int fewest_visits = 6;         ///< of each case, before precision can end the rounds, or a case can leave
constexpr int fewest_useful_rounds = 2;  ///< for an interval
constexpr double most_lengthening = 2;   ///< of a visit of slow steps, so that it has enough time slices

std::size_t baseline_of(const std::vector<Participant>& participants) {
  std::size_t best = 0;
  const auto rank_and_time = [](const Participant& one) {
    return std::pair(one.which.ranks > 1, one.measured.step_seconds);
  };
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
      has_left_(participants_.size(), false),
      why_alone_(participants_.size()) {}

int ContractRounds::copies(std::size_t participant) const {
  return participant == control_ && participants_.size() > 1 ? 2 : 1;
}

std::vector<ContractRounds::Place> ContractRounds::places() const {
  std::vector<Place> all;
  for (std::size_t i = 0; i < participants_.size(); ++i) {
    if (has_left_[i]) continue;
    for (int copy = 0; copy < copies(i); ++copy) all.push_back({i, copy == 1});
  }
  return all;
}

void ContractRounds::plan_slices() {
  std::vector<std::size_t> at_once;
  for (std::size_t i = 0; i < participants_.size(); ++i) {
    if (memory_ && measure_.time_slices && !has_left_[i] && !why_alone_[i]) at_once.push_back(i);
  }
  slices_ = {measure_.visit_seconds};
  while (!at_once.empty()) {
    std::vector<SlicedCase> cases;
    std::vector<std::size_t> participants;
    for (const std::size_t i : at_once) {
      cases.insert(cases.end(), copies(i), participants_[i].measured);
      participants.insert(participants.end(), copies(i), i);
    }
    if (cases.size() < 2) return;
    SlicePlan slices = plan_time_slices(
        cases, {measure_.visit_seconds, most_lengthening * measure_.visit_seconds, measure_.timeout_seconds, *memory_});
    if (slices.time_slice) {
      slices_ = std::move(slices);
      return;
    }
    const std::size_t alone = participants[slices.obstacle];
    why_alone_[alone] = std::move(slices.why_no_slices);
    std::erase(at_once, alone);
  }
}

int ContractRounds::visits_of_round() const {
  const std::vector<Place> all = places();
  const bool any_alone = std::any_of(
      all.begin(), all.end(), [&](const Place& place) { return all.size() == 1 || runs_alone(place.participant); });
  return any_alone ? visits_in_order : 1;
}

std::int64_t ContractRounds::steps_of_visit(std::size_t participant) const {
  const double seconds = runs_alone(participant) ? measure_.visit_seconds : slices_.visit_seconds;
  return visit_steps(seconds, participants_[participant].measured.step_seconds);
}

double ContractRounds::expected_visit_seconds(std::size_t participant) const {
  const auto steps = static_cast<double>(measure_.warmup_steps + steps_of_visit(participant));
  const SlicedCase& measured = participants_[participant].measured;
  return measured.setup_seconds + steps * measured.step_seconds;
}

double ContractRounds::expected_round_seconds() const {
  double seconds = 0;
  for (const Place& place : places()) {
    std::vector<double> durations;
    for (const VisitRecord& visit : visits_) {
      if (visit.case_id == participants_[place.participant].which.id) durations.push_back(visit.duration_seconds);
    }
    const double one = durations.empty() ? expected_visit_seconds(place.participant) : hodges_lehmann(durations);
    seconds += one;
  }
  return visits_of_round() * seconds;
}

RoundsEnd ContractRounds::run() {
  begin_ = Clock::now();
  const std::string& contract = participants_.front().which.contract_id;
  memory_ = executor_.memory_of_several();
  if (!memory_ && measure_.time_slices)
    why_alone_.assign(participants_.size(), "ranks of your own launcher run one case at a time");
  plan_slices();
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
  int visits = 0;
  for (int round = 1; ended_by.empty(); ++round, plan_slices()) {
    const int visits_of_case = visits_of_round();
    if (!run_round(round)) return {};
    visits += visits_of_case;
    if (visits >= fewest_visits && decision_half_width() <= std::log1p(measure_.precision)) {
      ended_by = "precision";
    } else if (round >= fewest_useful_rounds &&
               seconds_since(begin_) + expected_round_seconds() > measure_.max_seconds) {
      ended_by = "max_seconds";
    } else if (places().empty()) {
      ended_by = "failures";
    } else if (expected_round_seconds() > seconds_until(deadline_)) {
      return {"", true};
    } else if (visits >= fewest_visits) {
      release_settled();
    }
  }
  store_.add(RoundsRecord{contract, measure_.precision, ended_by});
  return {};
}

bool ContractRounds::run_round(int round) {
  std::vector<std::vector<Place>> in_order = groups(round);
  int number = 1;
  for (int n = visits_of_round(); n > 0; --n) {
    for (const std::vector<Place>& group : in_order) {
      if (!visit(group, round, number)) return false;
      number += static_cast<int>(group.size());
    }
    in_order = mirrored(in_order);
  }
  return true;
}

std::vector<std::vector<ContractRounds::Place>> ContractRounds::groups(int round) const {
  const std::vector<Place> all = places();
  std::vector<std::size_t> order = round_order(all.size(), round, participants_.front().which.seed);
  order.resize(all.size());  // without the mirrored half
  std::vector<std::vector<Place>> groups;
  std::optional<std::size_t> at_once;
  for (const std::size_t i : order) {
    const bool joins = !runs_alone(all[i].participant);
    if (joins && at_once) {
      groups[*at_once].push_back(all[i]);
      continue;
    }
    if (joins) at_once = groups.size();
    groups.push_back({all[i]});
  }
  return groups;
}

std::vector<std::vector<ContractRounds::Place>> ContractRounds::mirrored(
    const std::vector<std::vector<Place>>& groups) const {
  std::vector<std::vector<Place>> mirror;
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    std::vector<Place> at_once;
    for (auto place = group->rbegin(); place != group->rend(); ++place) {
      if (has_left_[place->participant]) continue;
      if (runs_alone(place->participant)) {
        mirror.push_back({*place});
      } else {
        at_once.push_back(*place);
      }
    }
    if (!at_once.empty()) mirror.push_back(std::move(at_once));
  }
  return mirror;
}

bool ContractRounds::visit(const std::vector<Place>& group, int round, int first) {
  if (!executor_.why_ended().empty()) return false;
  const std::string& first_id = participants_[group.front().participant].which.id;
  display_.turn(round, group.size() == 1 ? first_id : fmt::format("{} visits in time slices", group.size()));
  VisitRecord common;
  common.round = round;
  common.elapsed_seconds = seconds_since(begin_);
  common.compute_probe_seconds = probe_.compute_seconds();
  common.memory_probe_seconds = probe_.memory_seconds();
  const double core_probe = probe_.slowest_core_seconds();
  common.core_probe_seconds = core_probe;
  least_core_probe_ = std::min(least_core_probe_, core_probe);

  const NeighbourMeter neighbours(executor_.waits_for_processes());
  const Clock::time_point begin = Clock::now();
  const std::vector<Outcome> outcomes = outcomes_of(group);
  common.duration_seconds = seconds_since(begin) / static_cast<double>(group.size());
  neighbours.note(common);
  common.disturbed |= has_slow_core(core_probe, least_core_probe_);
  if (executor_.stop_signal() != 0) return false;
  if (group.size() > 1) common.time_slice_seconds = std::chrono::duration<double>(*slices_.time_slice).count();
  for (std::size_t i = 0; i < group.size(); ++i) {
    VisitRecord record = common;
    record.place = first + static_cast<int>(i);
    record.case_id = participants_[group[i].participant].which.id;
    record.control = group[i].control;
    record.status = outcomes[i].status;
    record.status_reason = outcomes[i].reason;
    if (group.size() == 1) record.why_alone = why_alone_[group[i].participant].value_or("");
    if (outcomes[i].status != Status::ok) {
      if (group.size() == 1) {
        has_left_[group[i].participant] = true;
      } else {
        why_alone_[group[i].participant] = "it failed beside the others";
      }
    }
    if (const auto& measured = outcomes[i].measurement) {
      record.steps = steps_of_visit(group[i].participant);
      record.step_seconds = measured->step_seconds;
      record.budget = measured->budget;
    }
    store_.add(record);
    visits_.push_back(std::move(record));
  }
  return true;
}

std::vector<Outcome> ContractRounds::outcomes_of(const std::vector<Place>& group) {
  std::vector<CaseRun> runs;
  for (const Place& place : group) {
    const Participant& participant = participants_[place.participant];
    Case which = participant.which;
    which.visit_steps = steps_of_visit(place.participant);
    which.collective_choices = participant.collective_choices;
    runs.push_back({{of_case(experiment_, which), which, ""},
                    log_of_visits(store_.folder(), which.id, place.control),
                    {[](const Message&) {}, [this](const UtilisationRecord&) { display_.tick(); }}});
  }
  if (runs.size() > 1) return executor_.run_alternately(runs, *slices_.time_slice, [this] { display_.tick(); });
  const CaseRun& one = runs.front();
  return {executor_.run(one.request, one.log_file, one.listener)};
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
