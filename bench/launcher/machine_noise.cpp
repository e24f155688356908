#include "bench/launcher/machine_noise.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

#include "platform/bound_cores.h"
#include "platform/processor_time.h"

namespace ddlbench::bench {
namespace {

constexpr double disturbed_from = 0.05;
constexpr double slow_core_from = 0.15;

using Clock = std::chrono::steady_clock;

double seconds_of(const auto& work) {
  const auto begin = Clock::now();
  const volatile double result = work();
  static_cast<void>(result);
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

constexpr double factor = 0.999999, summand = 1e-6;

/// Computes independent chains of multiplications and additions, as many as a core's units need to be busy.
template <std::size_t... I>
double sum_of_chains(double start, std::index_sequence<I...>) {
  constexpr int links = 100'000;
  double values[] = {start + static_cast<double>(I)...};
  for (int i = 0; i < links; ++i) ((values[I] = values[I] * factor + summand), ...);
  return (values[I] + ...);
}

/// Returns the processor time of this process and of all descendants that have ended and were waited for.
double own_processor_seconds() {
  return platform::processor_seconds() + platform::processor_seconds_of_ended();
}

std::optional<double> load_average() {
  double minute = 0;
  return ::getloadavg(&minute, 1) == 1 ? std::optional(minute) : std::nullopt;
}

}  // namespace

SpeedProbe::SpeedProbe() : numbers_((std::size_t{32} << 20) / sizeof(double), 1.0) {}

// Both computations begin with numbers that the compiler does not know. Otherwise it would compute them itself.
double SpeedProbe::compute_seconds() const {
  return seconds_of([this] {
    constexpr int links = 200'000;
    double value = numbers_.front();
    for (int i = 0; i < links; ++i) value = value * factor + summand;
    return value;
  });
}

double SpeedProbe::slowest_core_seconds() const {
  const auto work = [this] { return sum_of_chains(numbers_.front(), std::make_index_sequence<12>()); };
  const std::vector<int> cores = platform::allowed_cores();
  double slowest = 0;
  std::thread prober([&] {  // a thread of its own, because it changes its affinity
    for (const int core : cores) {
      platform::bind_to_core(core);
      double shortest = seconds_of(work);  // of three, because an interrupt says nothing about the core
      for (int i = 0; i < 2; ++i) shortest = std::min(shortest, seconds_of(work));
      slowest = std::max(slowest, shortest);
    }
  });
  prober.join();
  return slowest;
}

bool has_slow_core(double core_probe_seconds, double least) {
  return core_probe_seconds > (1 + slow_core_from) * least;
}

double SpeedProbe::memory_seconds() const {
  return seconds_of([this] {
    double sums[8] = {};  // independent, so that memory and not the addition limits
    for (std::size_t i = 0; i + 8 <= numbers_.size(); i += 8) {
      for (std::size_t k = 0; k < 8; ++k) sums[k] += numbers_[i + k];
    }
    return std::accumulate(std::begin(sums), std::end(sums), 0.0);
  });
}

NeighbourMeter::NeighbourMeter(bool counts_own)
    : counts_own_(counts_own),
      before_(read_counters()),
      own_seconds_before_(own_processor_seconds()),
      load_average_(load_average()) {}

void NeighbourMeter::note(VisitRecord& visit) const {
  visit.load_average = load_average_;
  const MachineCounters now = read_counters();
  const auto ticks = static_cast<double>(now.total - before_.total);
  if (ticks <= 0) return;
  const auto rose = [](std::int64_t after, std::int64_t before) {
    return static_cast<double>(std::max<std::int64_t>(after - before, 0));
  };
  const double busy = rose(now.user, before_.user) + rose(now.system, before_.system);
  const double waited = rose(now.idle, before_.idle) + rose(now.iowait, before_.iowait);
  visit.steal_ratio = std::max(0.0, ticks - busy - waited) / ticks;
  if (counts_own_) {
    const double own = (own_processor_seconds() - own_seconds_before_) * static_cast<double>(::sysconf(_SC_CLK_TCK));
    visit.others_cpu_ratio = std::max(0.0, busy - own) / ticks;
  }
  visit.disturbed = *visit.steal_ratio > disturbed_from || visit.others_cpu_ratio.value_or(0) > disturbed_from;
}

}  // namespace ddlbench::bench
