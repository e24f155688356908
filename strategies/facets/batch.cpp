#include "graph/ops/batch_norm.h"

#include <fmt/core.h>
#include "strategies/facets/list.h"
#include "strategies/shares.h"

namespace ddlbench::strategies {
namespace {

void read_batch(const OptionValues& values, StrategySpec& spec) {
  spec.batch.microbatches = static_cast<int>(value_of<std::int64_t>(values, "microbatches"));
  spec.batch.speeds = value_of<Integers>(values, "speeds");
}

/// Throws Unsupported where the shares of ranks of different speeds are not possible.
void require_shares(const Task& task, const StrategySpec& spec) {
  if (shares_of(task, spec).empty()) return;
  for (const auto& [setting, needs_equal] : {std::pair{"wire", spec.sync.wire.has_value()},
                                             {"codec", spec.sync.codec.has_value()},
                                             {"matrix_approximation_rank", spec.sync.approximation_rank > 0},
                                             {"cycle_milliseconds", spec.sync.cycle_milliseconds > 0},
                                             {"averaging", spec.weights.own() && !spec.weights.gossips()},
                                             {"gossip", spec.weights.gossips()}})
    if (needs_equal)
      throw Unsupported(fmt::format("{} needs ranks that have equally many samples; leave it out, or speeds", setting));
}

/// Throws Unsupported unless every micro-batch of every data rank holds whole groups of samples that are normalised
/// together.
void require_batch(const Task& task, const StrategySpec& spec) {
  const int microbatches = spec.batch.microbatches;
  if (microbatches > 1 && graph::normalises_whole_batch(task.model))
    throw Unsupported(
        fmt::format("batch norm computes its statistics over the whole batch, but each of {} micro-batches has only a "
                    "part; use one micro-batch, or a model with samples_per_statistic",
                    microbatches));
  const std::int64_t group = graph::samples_per_statistic(task.model);
  const bool equal = spec.batch.speeds.empty();
  const std::int64_t shares = group * (equal ? spec.mesh.data_ranks() : 1) * microbatches;
  if (task.global_batch % shares != 0) {
    const std::string parts = equal ? fmt::format("{} data-parallel parts x ", spec.mesh.data_ranks()) : "";
    const std::string groups =
        group == 1 ? "" : fmt::format(" of whole groups of {} samples that share a statistic", group);
    throw Unsupported(
        fmt::format("a global batch of {} does not divide into {}{} micro-batches{}; use a multiple of {}",
                    task.global_batch, parts, microbatches, groups, shares));
  }
  require_shares(task, spec);
}

void require_batch_effect(const Task&, const StrategySpec&, const OptionValues& values) {
  if (is_set(values, "speeds") && !has_axis(values, Use::batch) && !has_axis(values, Use::replicas))
    throw Unsupported("speeds has no effect where the mesh has no data axis; leave it out, or add the axis");
}

}  // namespace

Facet batch_facet() {
  return {
      "batch",
      {{"microbatches", std::int64_t{1}, "micro-batches per step; their gradients are accumulated", 1, {}, 1 << 24},
       {"speeds",
        Integers{},
        "relative speeds of the data-parallel ranks, such as [2, 1]: a rank's share of the batch is in proportion to "
        "its speed",
        1,
        {},
        1 << 24}},
      read_batch,
      require_batch,
      require_batch_effect};
}

}  // namespace ddlbench::strategies
