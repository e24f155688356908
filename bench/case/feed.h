#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "program/plan.h"
#include "runtime/engine.h"
#include "workloads/loader.h"

namespace ddlbench::bench {

/// Returns the positions of the global batch that `slot` holds on rank `rank`: one slice per micro-batch.
std::vector<workloads::Slice> slices_of(const program::Plan& plan, int rank, const program::InputSlot& slot);

/// Returns what a loader must read for a slot.
workloads::Contents contents_of(const program::InputSlot& slot);

/// Makes a loader for the calling rank's samples. Where the rank's threads have a core each, the loader's workers are
/// assigned to these cores round-robin.
std::unique_ptr<workloads::Loader> make_loader(std::shared_ptr<const workloads::Dataset> dataset,
                                               std::int64_t global_batch, std::vector<workloads::Slice> slices,
                                               const workloads::LoaderOptions& options,
                                               workloads::Contents contents = workloads::Contents::all);

/// One rank's share of a batch in host memory; a pointer is null where the rank does not need the data.
struct HostBatch {
  const void* values = nullptr;  ///< dense, of the input slot's type
  const std::int32_t* labels = nullptr;
};

/// Feeds one rank its share of one batch after another, as its program's input slots require.
class Feed {
 public:
  Feed(std::shared_ptr<const workloads::Dataset> dataset, const program::Plan& plan, int rank, runtime::Mode mode,
       const workloads::LoaderOptions& loader = {});

  /// Starts over with a new order of samples.
  void begin(std::vector<workloads::SampleDraw> order);
  /// Loads the next batch into `engine` and records the wait in its timeline. Returns the number of labels in the
  /// *global* batch that are not padding; 0 at the end of the order, when the batches' memory is released. Throws
  /// BadData.
  std::int64_t next(runtime::Engine& engine);
  /// Returns the bytes that the loaders hold while an order is in progress.
  std::int64_t loader_bytes() const;
  /// Returns what next() loaded last; valid until the next call.
  const HostBatch& fed() const { return fed_; }

 private:
  /// A loader and the batch that it returned last.
  struct Source {
    std::vector<workloads::Slice> slices;
    std::unique_ptr<workloads::Loader> loader;
    const workloads::Batch* batch = nullptr;
  };
  static constexpr int none = -1;

  /// Returns the index of the source that feeds the slot of this role, or `none`.
  int source_for(const std::vector<program::InputSlot>& slots, graph::Role role, const program::Plan& plan, int rank);
  const workloads::Batch* batch_of(int source) const;
  void release();

  std::shared_ptr<const workloads::Dataset> dataset_;
  runtime::Mode mode_;
  workloads::LoaderOptions options_;
  std::int64_t global_batch_;
  std::int64_t labels_per_sample_ = 1;
  std::vector<Source> sources_;
  int values_ = none;
  int labels_ = none;
  int samples_ = none;
  std::int64_t total_ = 0;
  std::int64_t position_ = 0;
  HostBatch fed_;
};

}  // namespace ddlbench::bench
