#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "workloads/dataset.h"
#include "workloads/loader_options.h"

namespace ddlbench::workloads {

/// What a rank needs of its samples. The last stage of a model needs no values, a middle one no labels either, and
/// values may be needed as bytes (Dataset::read_bytes).
enum class Contents : std::uint8_t { all, all_in_bytes, labels, numbers };

/// One rank's part of a global batch, in host memory.
struct Batch {
  std::vector<std::byte> values;      ///< dense, [samples of this rank, sample shape]; empty if not needed
  std::vector<std::int32_t> labels;   ///< −1 past the end of the data; empty if not needed
  std::vector<std::int32_t> samples;  ///< index of each sample in the data set; −1 past the end
  std::int64_t count = 0;             ///< labels of the *global* batch that are not padding
};

/// Samples of each global batch: the positions [begin, end) within it.
struct Slice {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool operator==(const Slice&) const = default;
};

/// Reads one rank's batches of a given order of samples. Batch k is order[k·global_batch, (k+1)·global_batch); the last
/// one is padded with label −1. This rank's part of a batch is the concatenation of its slices, one for each
/// micro-batch. All workers read the same batch, so that the next one is ready as soon as possible; its content does
/// not depend on their number. The steady state allocates nothing. A data set has at most 2^31 − 1 samples.
class Loader {
 public:
  /// Worker i calls on_start(i) before it reads. on_start must not throw.
  Loader(std::shared_ptr<const Dataset> dataset, std::int64_t global_batch, std::vector<Slice> slices,
         LoaderOptions options = {}, Contents contents = Contents::all, const std::function<void(int)>& on_start = {});
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  /// Starts over with `order`. Allocates the batches' memory unless it is still allocated.
  void begin(std::vector<SampleDraw> order);
  /// Ends the order, invalidates its batches and frees their memory.
  void release();
  /// Returns the bytes of the batches between begin() and release(): the prefetched ones and the one in use.
  std::int64_t bytes() const;
  /// Returns the next batch, valid until the next call; nullptr at the end. Blocks until the batch is read. Rethrows
  /// what reading it threw (BadData): the first error in sample order, at every call for this batch.
  const Batch* next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ddlbench::workloads
