#pragma once

#include <cstdint>

#include "bench/case/trainer.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

/// Measures the host memory of one process of a case. The process runs one rank, or all ranks as threads.
class ProcessMemory {
 public:
  /// Records the resident memory; must run before the case has allocated anything.
  ProcessMemory();

  /// Begins the peaks of training: returns free heap memory to the system and resets the peaks. Call it when the memory
  /// that only the certificate and the prediction need is freed, and weights are not yet initialised. Acts once for all
  /// ranks of the process. Collective.
  void begin_training(Trainer& trainer);

  /// Returns the memory of the process whose resident peak exceeds its plan by the most. Call it at the end of
  /// training, while engines and loaders still exist. Collective.
  HostMemoryRecord gather(Trainer& trainer) const;

 private:
  std::int64_t base_bytes_ = 0;
  std::int64_t heap_before_ = 0;  ///< the peaks before training
  std::int64_t resident_before_ = 0;
  bool begun_ = false;
};

}  // namespace ddlbench::bench
