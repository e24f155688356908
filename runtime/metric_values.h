#pragma once

#include <vector>

#include "runtime/host_memory.h"
#include "runtime/metric_shares.h"
#include "runtime/operations.h"

namespace ddlbench::runtime {

/// A rank's share of the metrics of a program. From an asynchronous device they are copied at the end of each step,
/// in the compute stream, so that nothing waits for them but the step itself: to memory of that step's turn.
class MetricValues {
 public:
  MetricValues(std::vector<MetricShare> shares, kernels::Device& device, std::size_t turns);

  /// Puts the copies on the compute stream of an asynchronous device.
  void fetch(const Resolve& resolve, std::size_t turn);
  /// In the order of the graph's metrics; zero where this rank holds none.
  std::vector<double> values(const Resolve& resolve, std::size_t turn) const;

 private:
  std::vector<MetricShare> shares_;
  kernels::Device& device_;
  std::vector<HostMemory> pinned_;  ///< by turn, a float for each metric; none where the device is not asynchronous
};

}  // namespace ddlbench::runtime
