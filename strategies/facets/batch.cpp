#include "graph/ops/batch_norm.h"
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
        "batch norm takes its statistics over the whole batch, which " + std::to_string(microbatches) +
        " micro-batches cannot see as a whole; use one micro-batch, or a model with samples_per_statistic");
  const std::int64_t group = graph::samples_per_statistic(task.model);
  const std::int64_t shares = group * spec.mesh.batch * microbatches;
  if (task.global_batch % shares == 0) return;
  const std::string groups =
      group == 1 ? "" : " of whole groups of " + std::to_string(group) + " samples that share a statistic";
  throw Unsupported("a global batch of " + std::to_string(task.global_batch) + " does not divide into " +
                    std::to_string(spec.mesh.batch) + " data-parallel parts x " + std::to_string(microbatches) +
                    " micro-batches" + groups + "; use a multiple of " + std::to_string(shares));
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
