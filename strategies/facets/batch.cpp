#include "graph/ops/batch_norm.h"

#include <fmt/core.h>
#include "strategies/facets/list.h"

namespace ddlbench::strategies {
namespace {

void read(const OptionValues& values, StrategySpec& spec) {
  spec.batch.microbatches = static_cast<int>(value_of<std::int64_t>(values, "microbatches"));
}

/// Throws Unsupported unless every micro-batch of every data rank holds whole groups of samples that are normalised
/// together.
void require(const Task& task, const StrategySpec& spec) {
  const int microbatches = spec.batch.microbatches;
  if (microbatches > 1 && graph::normalises_whole_batch(task.model))
    throw Unsupported(
        fmt::format("batch norm computes its statistics over the whole batch, but each of {} micro-batches has only a "
                    "part; use one micro-batch, or a model with samples_per_statistic",
                    microbatches));
  const std::int64_t group = graph::samples_per_statistic(task.model);
  const std::int64_t shares = group * spec.mesh.data_ranks() * microbatches;
  if (task.global_batch % shares == 0) return;
  const std::string groups =
      group == 1 ? "" : fmt::format(" of whole groups of {} samples that share a statistic", group);
  throw Unsupported(fmt::format(
      "a global batch of {} does not divide into {} data-parallel parts x {} micro-batches{}; use a multiple of {}",
      task.global_batch, spec.mesh.data_ranks(), microbatches, groups, shares));
}

}  // namespace

Facet batch_facet() {
  return {
      "batch",
      {{"microbatches", std::int64_t{1}, "micro-batches per step; their gradients are accumulated", 1, {}, 1 << 24}},
      read,
      require};
}

}  // namespace ddlbench::strategies
