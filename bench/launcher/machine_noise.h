#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "bench/launcher/utilisation.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

/// Times two fixed pieces of work of one thread, which show how fast the machine is at the moment: a chain of
/// multiplications and additions, and a sum over 32 MiB, more than most caches hold. Both together take about 10 ms.
class SpeedProbe {
 public:
  SpeedProbe();
  double compute_seconds() const;
  double memory_seconds() const;

 private:
  std::vector<double> numbers_;
};

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
