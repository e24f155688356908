#pragma once

#include <vector>

#include "runtime/host_memory.h"
#include "runtime/metric_shares.h"
#include "runtime/operations.h"

namespace ddlbench::runtime {

/// A rank's share of the metrics of a program. An asynchronous device copies them at the end of each step, in the
/// compute stream, to memory of that step's turn, so that only the step itself waits for them.
class MetricValues {
 public:
  MetricValues(std::vector<MetricShare> shares, kernels::Device& device, std::size_t turns);

  /// Enqueues the copies on the compute stream of an asynchronous device.
  void fetch(const Resolve& resolve, std::size_t turn);
  /// Returns the values in the order of the graph's metrics; zero for metrics that this rank does not hold.
  std::vector<double> values(const Resolve& resolve, std::size_t turn) const;

 private:
  std::vector<MetricShare> shares_;
  kernels::Device& device_;
  std::vector<HostMemory> pinned_;  ///< by turn, one float for each metric; empty if the device is synchronous
};

}  // namespace ddlbench::runtime
