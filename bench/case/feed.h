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

/// Brings one rank its share of one batch after another, as its program's input slots ask.
class Feed {
 public:
  Feed(std::shared_ptr<const workloads::Dataset> dataset, const program::Plan& plan, int rank, runtime::Mode mode);

  /// Begins anew with this order of sample indices.
  void begin(std::vector<std::int64_t> order);
  /// Loads the next batch into `engine` and notes the wait in its timeline. The labels of the *global*
  /// batch that are real; 0 at the end of the order. Throws BadData.
  std::int64_t next(runtime::Engine& engine);

 private:
  workloads::Loader* loader_for(const std::vector<program::InputSlot>& slots, graph::Role role,
                                const program::Plan& plan, int rank);

  struct Source {
    std::vector<workloads::Slice> slices;
    std::unique_ptr<workloads::Loader> loader;
  };
  std::shared_ptr<const workloads::Dataset> dataset_;
  runtime::Mode mode_;
  std::int64_t global_batch_;
  std::int64_t labels_per_sample_ = 1;
  std::vector<Source> sources_;
  workloads::Loader* values_ = nullptr;
  workloads::Loader* labels_ = nullptr;
  std::int64_t total_ = 0;
  std::int64_t position_ = 0;
};

}  // namespace ddlbench::bench
