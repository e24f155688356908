#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/option.h"
#include "workloads/loader_options.h"

namespace ddlbench::bench {

struct LoaderSettings {
  std::optional<int> workers = {};  ///< none: one for each core of the rank, so that all cases have equally many
  int prefetch = workloads::LoaderOptions{}.prefetch;
  std::string corrupt = "fatal";  ///< or "skip"
  bool skips_corrupt() const { return corrupt == "skip"; }
};

template <class Visitor>
void describe(Visitor& v, LoaderSettings& l) {
  v.sweep(
      "workers", l.workers, Range{0, 256},
      "Prefetching threads of each rank, on its cores; one for each core if not set; 0: each step reads its samples "
      "itself, and waits for them.");
  v.sweep("prefetch", l.prefetch, Range{1, 1024}, "Batches to prefetch.");
  v("corrupt", l.corrupt, v.choices({"fatal", "skip"}),
    "What an unreadable sample does: `fatal` ends the case; `skip` reads every sample beforehand and leaves it out.");
}

/// A workload: the model, the data it is trained on and the batch.
struct Workload {
  Choice model;
  Choice dataset;
  std::vector<std::int64_t> global_batch = {};    ///< a sweep
  std::vector<std::int64_t> batch_per_rank = {};  ///< a sweep, written instead of the global batch
  std::optional<double> learning_rate = {};       ///< replaces the optimizer's; experiment_of() has moved it there
                                                  ///< before this is read
  LoaderSettings loader = {};

  /// Values that are not settings.
  struct Derived {
    std::string label = {};       ///< name of the model in rows: its kind, and what distinguishes it from others of
                                  ///< that kind
    std::string definition = {};  ///< hash of the file that the model is read from; empty if there is none
    Choice data_identity = {};    ///< replaces the data set in contracts; without a kind the data set itself counts
  };
  Derived derived = {};

  bool scales_weakly() const { return !batch_per_rank.empty(); }
  /// Returns the batches, in the order in which they were written: global ones, or those of each rank.
  const std::vector<std::int64_t>& batches() const { return scales_weakly() ? batch_per_rank : global_batch; }
  /// Returns the smallest global batch of the cases.
  std::int64_t least_batch() const {
    return batches().empty() ? 0 : *std::min_element(batches().begin(), batches().end());
  }
};

template <class Visitor>
void describe(Visitor& v, Workload& w) {
  v.sweep("model", w.model, v.one_of("model", [](const auto& all) { return all.models; }), "Model to train.");
  v.sweep("dataset", w.dataset, v.one_of("data set", [](const auto& all) { return all.datasets; }),
          "Data set to train on.");
  v("global_batch", w.global_batch, Range{1, 1 << 24}, "Samples per step, over all ranks.");
  v.instead_of("global_batch", "batch_per_rank", w.batch_per_rank, Range{1, 1 << 24},
               "Samples per step for each rank: the global batch is this times the number of ranks (weak scaling).");
  v.sweep("learning_rate", w.learning_rate, Range{0, {}, true},
          "Learning rate of this workload, instead of the optimizer's.");
  v("loader", w.loader, "How each rank reads its samples; which samples it reads does not depend on it.");
}

}  // namespace ddlbench::bench
