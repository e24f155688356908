#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "bench/launcher/utilisation.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

/// Times fixed pieces of work of one thread, which show how fast the machine is at the moment. All together take about
/// 10 ms, and less than a millisecond more for each core.
class SpeedProbe {
 public:
  SpeedProbe();
  /// A chain of multiplications and additions, on any core.
  double compute_seconds() const;
  /// A sum over 32 MiB, more than most caches hold.
  double memory_seconds() const;
  /// Independent chains, on each core that this thread may use: the time of the slowest core. They keep the units of a
  /// core busy, so that they take longer while another hardware thread of it computes, even that of another virtual
  /// machine.
  double slowest_core_seconds() const;

 private:
  std::vector<double> numbers_;
};

/// Returns whether one of the cores was clearly slower before a visit than the slowest core at its best, `least`.
bool has_slow_core(double core_probe_seconds, double least);

/// Measures who else uses this machine between its construction and note().
class NeighbourMeter {
 public:
  /// `counts_own` says whether all processes of the run on this machine are this one and descendants that it reaps.
  explicit NeighbourMeter(bool counts_own);

  /// Fills the visit's load average, ratios and `disturbed`. What /proc does not tell stays empty.
  void note(VisitRecord& visit) const;

 private:
  bool counts_own_;
  MachineCounters before_;
  double own_seconds_before_;
  std::optional<double> load_average_;
};

}  // namespace ddlbench::bench
