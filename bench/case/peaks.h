#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "graph/dtype.h"
#include "kernels/device.h"

namespace ddlbench::bench {

/// A device's roofline: what its kernels compute and move at best.
struct Peaks {
  double flops_per_second = 0;  ///< of the fastest product of two square matrices
  std::int64_t size = 0;        ///< rows of those matrices
  double bytes_per_second = 0;  ///< read and written, of the faster one of a copy and a sum of tensors beyond caches
};

/// Measures the peaks whenever it is asked to, and keeps the best that it has seen: a machine that is slowed down for
/// a while when one is measured would make all else look better than the peak.
class PeakProbe {
 public:
  /// Products are of matrices of a floating-point type, first of sizes that are doubled from 256 to 8192 until one
  /// takes more than 50 ms; later those of the fastest size.
  PeakProbe(kernels::Device& device, graph::DType dtype);
  ~PeakProbe();

  /// Some ten milliseconds, or one launch where that takes longer. What it is now.
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
