#include "bench/launcher/machine_noise.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "platform/processor_time.h"

namespace ddlbench::bench {
namespace {

constexpr double disturbed_from = 0.05;

using Clock = std::chrono::steady_clock;

double seconds_of(const auto& work) {
  const auto begin = Clock::now();
  const volatile double result = work();
  static_cast<void>(result);
  return std::chrono::duration<double>(Clock::now() - begin).count();
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

double SpeedProbe::compute_seconds() const {
  return seconds_of([] {
    constexpr int links = 1'000'000;
    double value = 1;
    for (int i = 0; i < links; ++i) value = value * 0.999999 + 1e-6;
    return value;
  });
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
