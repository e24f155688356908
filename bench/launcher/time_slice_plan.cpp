#include "bench/launcher/time_slice_plan.h"

#include <sys/resource.h>

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "bench/records/cache_file.h"
#include "comm/communicator.h"

namespace ddlbench::bench {
namespace {

constexpr double usual_slice_seconds = 0.05;
constexpr double cycles_per_slice = 8;    ///< at least: one of them contains the pause
constexpr double slices_per_visit = 4;    ///< at least
constexpr double most_memory = 0.8;       ///< of what is available
constexpr double most_of_timeout = 0.25;  ///< that a case is suspended without a break

/// Returns nullptr for a transport that this build lacks.
const comm::Transport* transport_of(const CaseRecord& record) {
  const auto& all = comm::transports();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const comm::Transport& one) { return one.name == record.transport; });
  return found == all.end() ? nullptr : &*found;
}

/// Returns how many processes this one can watch, with up to four descriptors for each.
int most_processes() {
  constexpr rlim_t most = 256, for_other_files = 40, for_each = 4;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<int>(std::min(most, (std::max(limit.rlim_cur, for_other_files) - for_other_files) / for_each));
}

double memory_of(const CaseRecord& record, int processes) {
  constexpr double usual_process = 64 << 20;  // without weights and activations, where the case did not measure it
  const Measurement& measured = *record.measurement;
  const double planned = static_cast<double>(record.ranks) * static_cast<double>(measured.peak_memory_bytes);
  if (!measured.host_memory) return planned + processes * usual_process;
  return std::max(planned, processes * static_cast<double>(measured.host_memory->case_resident_peak_bytes));
}

std::string why_unstoppable(const CaseRecord& record, const comm::Transport* transport) {
  if (cache_folder().empty())
    return "without a cache each visit times kernels to choose them, which pauses would disturb";
  if (record.device != "cpu") return "a GPU goes on when its process is stopped";
  const bool can_be_elsewhere = transport == nullptr || transport->launcher;
  return can_be_elsewhere
             ? "ranks that mpiexec starts can run on other machines, or stay stopped when ddlbench is killed"
             : "";
}

double cycle_seconds(const SlicedCase& one) {
  return one.step_seconds * static_cast<double>(one.cycle_steps);
}

std::size_t largest(const std::vector<SlicedCase>& cases, const auto& value_of) {
  const auto less = [&](const SlicedCase& a, const SlicedCase& b) { return value_of(a) < value_of(b); };
  return static_cast<std::size_t>(std::max_element(cases.begin(), cases.end(), less) - cases.begin());
}

double sum(const std::vector<SlicedCase>& cases, const auto& value_of) {
  return std::accumulate(cases.begin(), cases.end(), 0.0,
                         [&](double total, const SlicedCase& one) { return total + value_of(one); });
}

struct Obstacle {
  std::size_t which;
  std::string why;
};

std::optional<Obstacle> obstacle(const std::vector<SlicedCase>& cases, double slice_seconds, double visit_seconds,
                                 const SliceConditions& conditions) {
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!cases[i].why_unstoppable.empty()) return Obstacle{i, cases[i].why_unstoppable};
  }
  const auto memory = [](const SlicedCase& one) { return one.memory_bytes; };
  if (sum(cases, memory) > most_memory * static_cast<double>(conditions.available_bytes))
    return Obstacle{largest(cases, memory), "the memory does not suffice for all at once"};
  const auto processes = [](const SlicedCase& one) { return static_cast<double>(one.processes); };
  if (sum(cases, processes) > most_processes()) {
    return Obstacle{largest(cases, processes),
                    fmt::format("all at once have more than {} processes (see ulimit -n)", most_processes())};
  }
  if (slices_per_visit * slice_seconds > visit_seconds) {
    return Obstacle{largest(cases, cycle_seconds),
                    fmt::format("their steps are so slow that time slices need visits of {} s (measure/visit_seconds)",
                                std::ceil(slices_per_visit * slice_seconds))};
  }
  const auto setup = [](const SlicedCase& one) { return one.setup_seconds; };
  const double wait = sum(cases, setup), pause = static_cast<double>(cases.size() - 1) * slice_seconds;
  const double most = most_of_timeout * conditions.timeout_seconds;
  if (std::max(wait, pause) > most) {
    return Obstacle{wait > most ? largest(cases, setup) : largest(cases, cycle_seconds),
                    fmt::format("they are so slow that time slices need a measure/timeout_seconds of {}",
                                std::ceil(std::max(wait, pause) / most_of_timeout))};
  }
  return std::nullopt;
}

}  // namespace

SlicedCase sliced_case(const CaseRecord& record) {
  const Measurement& measured = *record.measurement;
  const comm::Transport* transport = transport_of(record);
  SlicedCase one;
  one.step_seconds = measured.step_seconds;
  one.cycle_steps = measured.cycle_steps;
  one.setup_seconds = record.setup_seconds.value_or(0);
  one.processes = transport != nullptr && !transport->processes ? 1 : record.ranks;
  one.memory_bytes = memory_of(record, one.processes);
  one.why_unstoppable = why_unstoppable(record, transport);
  return one;
}

SlicePlan plan_time_slices(const std::vector<SlicedCase>& cases, const SliceConditions& conditions) {
  const double slowest = cycle_seconds(cases[largest(cases, cycle_seconds)]);
  const double usual = std::min(usual_slice_seconds, conditions.visit_seconds / slices_per_visit);
  const double slice_seconds = std::max(usual, cycles_per_slice * slowest);
  const double lengthened = std::min(slices_per_visit * slice_seconds, conditions.longest_visit_seconds);
  const double visit_seconds = std::max(conditions.visit_seconds, lengthened);
  if (auto found = obstacle(cases, slice_seconds, visit_seconds, conditions))
    return {conditions.visit_seconds, {}, std::move(found->why), found->which};
  return {visit_seconds, std::chrono::milliseconds(std::lround(std::ceil(slice_seconds * 1000)))};
}

}  // namespace ddlbench::bench
