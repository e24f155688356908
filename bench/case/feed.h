#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "program/plan.h"
#include "runtime/engine.h"
#include "workloads/loader.h"

namespace ddlbench::bench {

/// The positions of a global batch that `slot` holds on rank `rank`: a slice for each micro-batch.
std::vector<workloads::Slice> slices_of(const program::Plan& plan, int rank, const program::InputSlot& slot);

/// What is to be read for a slot.
workloads::Contents contents_of(const program::InputSlot& slot);

/// A loader of the calling rank's samples. Where the rank's threads have a core each, its workers are shared out to
/// those cores in turn.
std::unique_ptr<workloads::Loader> make_loader(std::shared_ptr<const workloads::Dataset> dataset,
                                               std::int64_t global_batch, std::vector<workloads::Slice> slices,
                                               const workloads::LoaderOptions& options,
                                               workloads::Contents contents = workloads::Contents::all);

/// One rank's share of a batch in host memory; null where the rank has no use for it.
struct Fed {
  const void* values = nullptr;  ///< dense, of the input slot's type
  const std::int32_t* labels = nullptr;
};

/// Brings one rank its share of one batch after another, as its program's input slots ask.
class Feed {
 public:
  Feed(std::shared_ptr<const workloads::Dataset> dataset, const program::Plan& plan, int rank, runtime::Mode mode,
       const workloads::LoaderOptions& loader = {});

  /// Begins anew with this order of samples.
  void begin(std::vector<workloads::SampleDraw> order);
  /// Loads the next batch into `engine` and notes the wait in its timeline. The labels of the *global*
  /// batch that are real; 0 at the end of the order, when the batches' memory is given back. Throws BadData.
  std::int64_t next(runtime::Engine& engine);
  /// What its loaders hold while there is an order.
  std::int64_t loader_bytes() const;
  /// What next() loaded; valid until it is called again.
  const Fed& fed() const { return fed_; }

 private:
  /// A loader, and the batch that it gave last.
  struct Source {
    std::vector<workloads::Slice> slices;
    std::unique_ptr<workloads::Loader> loader;
    const workloads::Batch* batch = nullptr;
  };
  static constexpr int none = -1;

  /// The source of what a slot of this role takes, or `none`.
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
  Fed fed_;
};

}  // namespace ddlbench::bench
