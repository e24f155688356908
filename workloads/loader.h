#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "workloads/dataset.h"

namespace ddlbench::workloads {

/// One rank's part of a global batch, in host memory.
struct Batch {
  std::vector<std::byte> values;     ///< dense, [samples of this rank, sample shape]
  std::vector<std::int32_t> labels;  ///< −1 past the end of the data: no sample
  std::int64_t count = 0;            ///< labels of the *global* batch that are real
};

/// Samples of each global batch: the positions [begin, end) within it.
struct Slice {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool operator==(const Slice&) const = default;
};

/// Prefetches one rank's batches of a fixed order with a worker thread. The order is a list of sample
/// indices; batch k is order[k·global_batch, (k+1)·global_batch), the last one filled up with label −1.
/// This rank's part of a batch is its slices one after another: one for each micro-batch. Steady state
/// allocates nothing.
class Loader {
 public:
  Loader(std::shared_ptr<const Dataset> dataset, std::int64_t global_batch, std::vector<Slice> slices, int depth = 2);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  /// Begins anew with this order.
  void begin(std::vector<std::int64_t> order);
  /// The next batch, valid until the next call; nullptr at the end. Rethrows BadData of the worker.
  const Batch* next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ddlbench::workloads
