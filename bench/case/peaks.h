#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "graph/dtype.h"
#include "kernels/device.h"

namespace ddlbench::bench {

/// A device's roofline: the peak rates of its kernels.
struct Peaks {
  double flops_per_second = 0;  ///< of the fastest product of two square matrices
  std::int64_t size = 0;        ///< rows of those matrices
  double bytes_per_second = 0;  ///< read and written, by the faster of a copy and a sum of tensors larger than the
                                ///< caches
};

/// Measures the peaks each time it is asked to and keeps the best result: if the machine was slowed down during a
/// single measurement, everything else would look better than the peak.
class PeakProbe {
 public:
  /// Times products of matrices of a floating-point type. The constructor doubles their size from 256 up to 8192 until
  /// one product takes longer than `longest_seconds`; later measurements use the fastest size.
  PeakProbe(kernels::Device& device, graph::DType dtype, double longest_seconds = 50e-3);
  ~PeakProbe();

  /// Takes some ten milliseconds, or one launch if that takes longer. Returns the current rate: FLOP/s, or bytes/s.
  double measure_products();
  double measure_memory();
  const Peaks& best() const { return best_; }

 private:
  class Launch;
  kernels::Device& device_;
  Peaks best_;
  std::unique_ptr<Launch> product_;
  std::vector<std::unique_ptr<Launch>> movers_;
};

}  // namespace ddlbench::bench
