#include "bench/compare/visit_plan.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>

#include "bench/page/run_results.h"

namespace ddlbench::bench {
namespace {

constexpr double usual_turn_seconds = 0.05;
constexpr double steps_per_turn = 8;   ///< at least: an eighth of the steps is well below the quarter that is left out
constexpr double turns_per_visit = 4;  ///< at least
constexpr double longest_visit_seconds = 5;  ///< unless the user asks for more
constexpr double most_memory = 0.8;          ///< of what is available

double step_seconds_of(const CaseRecord* record) {
  return timed_measurement(*record)->step_seconds;
}

/// Returns an upper estimate: ranks that are threads share a process.
double memory_of(const CaseRecord& record) {
  const Measurement& measured = *timed_measurement(record);
  const std::int64_t resident = measured.host_memory ? measured.host_memory->case_resident_peak_bytes : 0;
  return static_cast<double>(record.ranks) * static_cast<double>(std::max(resident, measured.peak_memory_bytes));
}

/// Returns why the processes of a visit cannot be stopped for a while; empty if they can.
std::string why_unstoppable(const CaseRecord& record, const VisitPlace& place) {
  if (record.device != "cpu") return "a GPU goes on when its process is stopped";
  if (record.transport == "threads") return "";
  if (!place.one_host) return "some ranks run on other machines";
  return place.batch_job ? "Slurm starts the ranks" : "";
}

std::string why_no_turns(const CasePair& pair, double turn_seconds, double visit_seconds, const VisitPlace& place) {
  for (const CaseRecord* one : {pair.old_case, pair.new_case}) {
    if (const std::string why = why_unstoppable(*one, place); !why.empty()) return why;
  }
  if (memory_of(*pair.old_case) + memory_of(*pair.new_case) > most_memory * static_cast<double>(place.available_bytes))
    return "the memory does not suffice for both at once";
  if (turns_per_visit * turn_seconds <= visit_seconds) return "";
  return fmt::format("their steps are too slow: turns would need a measure/visit_seconds of {}",
                     std::ceil(turns_per_visit * turn_seconds));
}

std::int64_t steps_in(double seconds, const CaseRecord* record) {
  constexpr double fewest = 3, most = 100'000;
  return static_cast<std::int64_t>(std::clamp(std::ceil(seconds / step_seconds_of(record)), fewest, most));
}

}  // namespace

VisitPlan plan_visits(const CasePair& pair, double visit_seconds, const VisitPlace& place) {
  const double slowest = std::max(step_seconds_of(pair.old_case), step_seconds_of(pair.new_case));
  const double usual = std::min(usual_turn_seconds, visit_seconds / turns_per_visit);
  const double turn_seconds = std::max(usual, steps_per_turn * slowest);
  const double with_turns = std::max(visit_seconds, std::min(turns_per_visit * turn_seconds, longest_visit_seconds));
  VisitPlan plan;
  plan.why_no_turns = why_no_turns(pair, turn_seconds, with_turns, place);
  if (plan.why_no_turns.empty()) plan.turn = std::chrono::milliseconds(std::lround(std::ceil(turn_seconds * 1000)));
  const double seconds = plan.turn ? with_turns : visit_seconds;
  plan.old_steps = steps_in(seconds, pair.old_case);
  plan.new_steps = steps_in(seconds, pair.new_case);
  return plan;
}

}  // namespace ddlbench::bench
