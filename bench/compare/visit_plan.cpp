#include "bench/compare/visit_plan.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>

#include "bench/launcher/visit_steps.h"
#include "bench/page/run_results.h"
#include "comm/communicator.h"

namespace ddlbench::bench {
namespace {

constexpr double usual_slice_seconds = 0.05;
constexpr double steps_per_slice = 8;   ///< at least: an eighth of the steps is well below the quarter that is left out
constexpr double slices_per_visit = 4;  ///< at least
constexpr double longest_visit_seconds = 5;  ///< unless the user asks for more
constexpr double most_memory = 0.8;          ///< of what is available
constexpr double most_of_timeout = 0.25;     ///< that a time slice takes

double step_seconds_of(const CaseRecord* record) {
  return timed_measurement(*record)->step_seconds;
}

/// Returns nullptr for a transport that this build lacks.
const comm::Transport* transport_of(const CaseRecord& record) {
  const auto& all = comm::transports();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const comm::Transport& one) { return one.name == record.transport; });
  return found == all.end() ? nullptr : &*found;
}

/// Returns an upper estimate for all ranks.
double memory_of(const CaseRecord& record) {
  const Measurement& measured = *timed_measurement(record);
  const auto ranks = static_cast<double>(record.ranks), planned = static_cast<double>(measured.peak_memory_bytes);
  const auto resident =
      static_cast<double>(measured.host_memory ? measured.host_memory->case_resident_peak_bytes : std::int64_t{0});
  const comm::Transport* transport = transport_of(record);
  const bool one_process = transport != nullptr && !transport->processes;
  return std::max(ranks * planned, one_process ? resident : ranks * resident);
}

/// Returns why the processes of a visit cannot be stopped for a while; empty if they can.
std::string why_unstoppable(const CaseRecord& record) {
  if (record.device != "cpu") return "a GPU goes on when its process is stopped";
  const comm::Transport* transport = transport_of(record);
  const bool can_be_elsewhere = transport == nullptr || transport->launcher;
  return can_be_elsewhere
             ? "ranks that mpiexec starts can run on other machines, or stay stopped when ddlbench is killed"
             : "";
}

std::string why_no_slices(const CasePair& pair, double slice_seconds, double visit_seconds,
                          const VisitConditions& conditions) {
  for (const CaseRecord* one : {pair.old_case, pair.new_case}) {
    if (const std::string why = why_unstoppable(*one); !why.empty()) return why;
  }
  const double memory = memory_of(*pair.old_case) + memory_of(*pair.new_case);
  if (memory > most_memory * static_cast<double>(conditions.available_bytes))
    return "the memory does not suffice for both at once";
  if (slices_per_visit * slice_seconds > visit_seconds) {
    return fmt::format("their steps are so slow that time slices need a measure/visit_seconds of {}",
                       std::ceil(slices_per_visit * slice_seconds));
  }
  if (slice_seconds > most_of_timeout * conditions.timeout_seconds) {
    return fmt::format("their steps are so slow that time slices need a measure/timeout_seconds of {}",
                       std::ceil(slice_seconds / most_of_timeout));
  }
  return "";
}

}  // namespace

VisitPlan plan_visits(const CasePair& pair, const VisitConditions& conditions) {
  const double slowest = std::max(step_seconds_of(pair.old_case), step_seconds_of(pair.new_case));
  const double usual = std::min(usual_slice_seconds, conditions.visit_seconds / slices_per_visit);
  const double slice_seconds = std::max(usual, steps_per_slice * slowest);
  const double with_slices =
      std::max(conditions.visit_seconds, std::min(slices_per_visit * slice_seconds, longest_visit_seconds));
  VisitPlan plan;
  plan.why_no_slices = why_no_slices(pair, slice_seconds, with_slices, conditions);
  if (plan.why_no_slices.empty())
    plan.time_slice = std::chrono::milliseconds(std::lround(std::ceil(slice_seconds * 1000)));
  const double seconds = plan.time_slice ? with_slices : conditions.visit_seconds;
  plan.old_steps = visit_steps(seconds, step_seconds_of(pair.old_case));
  plan.new_steps = visit_steps(seconds, step_seconds_of(pair.new_case));
  return plan;
}

}  // namespace ddlbench::bench
