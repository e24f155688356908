#pragma once

#include <cstdint>

#include "bench/case/trainer.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

/// Watches one process of a case, which has one rank, or all ranks as threads.
class ProcessMemory {
 public:
  /// Before the case has anything of its own.
  ProcessMemory();

  /// What only the certificate and the prediction wanted is released, weights are not drawn yet: gives back what is
  /// free of the heap, and begins the peaks of training. Once for all ranks of the process. Collective.
  void begin_training(Trainer& trainer);

  /// At the end of training, engines and loaders being still there. Of the process whose residents exceed by most what
  /// is planned. Collective.
  HostMemoryRecord gather(Trainer& trainer) const;

 private:
  std::int64_t base_bytes_ = 0;
  std::int64_t heap_before_ = 0;  ///< the peaks before training
  std::int64_t resident_before_ = 0;
  bool begun_ = false;
};

}  // namespace ddlbench::bench
