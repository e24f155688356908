#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "workloads/dataset.h"
#include "workloads/loader_options.h"

namespace ddlbench::workloads {

/// What a rank wants of its samples: the end of a model has no use for values, nor its middle for labels, and values
/// may be wanted as bytes (Dataset::read_bytes).
enum class Contents : std::uint8_t { all, all_in_bytes, labels, numbers };

/// One rank's part of a global batch, in host memory.
struct Batch {
  std::vector<std::byte> values;      ///< dense, [samples of this rank, sample shape]; empty where none are wanted
  std::vector<std::int32_t> labels;   ///< −1 past the end of the data: no sample; empty if numbers alone are wanted
  std::vector<std::int32_t> samples;  ///< index in the data set of each sample of this rank; −1 past the end
  std::int64_t count = 0;             ///< labels of the *global* batch that are real
};

/// Samples of each global batch: the positions [begin, end) within it.
struct Slice {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool operator==(const Slice&) const = default;
};

/// Reads one rank's batches of a fixed order of samples. Batch k is order[k·global_batch, (k+1)·global_batch), the last
/// one filled up with label −1. This rank's part of a batch is its slices one after another: one for each micro-batch.
/// The workers share each batch, so that the next one is there soonest; its content does not depend on their number.
/// Steady state allocates nothing. A data set has at most 2^31 − 1 samples.
class Loader {
 public:
  /// Worker i calls on_start(i) before it reads; that must not throw.
  Loader(std::shared_ptr<const Dataset> dataset, std::int64_t global_batch, std::vector<Slice> slices,
         LoaderOptions options = {}, Contents contents = Contents::all, const std::function<void(int)>& on_start = {});
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  /// Begins anew with this order. Takes the batches' memory unless it has it.
  void begin(std::vector<SampleDraw> order);
  /// Ends the order, whose batches are no longer valid, and gives their memory back.
  void release();
  /// What its batches take from begin() to release(): those ahead, and the one in use.
  std::int64_t bytes() const;
  /// The next batch, valid until the next call; nullptr at the end. What reading it threw (BadData) is thrown here,
  /// the first in the order, and every time that this batch is asked for.
  const Batch* next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ddlbench::workloads
