#include "strategies/facets/list.h"

#include <fmt/core.h>

namespace ddlbench::strategies {
namespace {

std::int64_t bytes_of(const OptionValues& values, const char* setting) {
  return static_cast<std::int64_t>(value_of<double>(values, setting) * 1024 * 1024);
}

void read(const OptionValues& values, StrategySpec& spec) {
  spec.sync.overlap = value_of<bool>(values, "overlap");
  spec.sync.hierarchical = value_of<bool>(values, "hierarchical");
  spec.sync.bucket_per_layer = value_of<bool>(values, "bucket_per_layer");
  spec.sync.buckets.bytes = bytes_of(values, "bucket_mebibytes");
  spec.sync.buckets.first_bytes = bytes_of(values, "first_bucket_mebibytes");
}

void require_hierarchy(const StrategySpec& spec, const OptionValues& values) {
  if (!is_set(values, "hierarchical")) return;
  const auto nodes = values.find("node_ranks");
  if (!has_axis(values, Use::replicas) && (nodes == values.end() || nodes->second == OptionValue(std::int64_t{0})))
    throw Unsupported("hierarchical has no effect without nodes; add a replica axis to the mesh, or node_ranks");
  if (spec.state.stage > 0)
    throw Unsupported(
        fmt::format("hierarchical has no effect with ZeRO stage {}, which always reduces within a node first; leave it "
                    "out",
                    spec.state.stage));
}

/// Throws Unsupported for overlap where no gradient is reduced, or where each is scattered as soon as its bucket is
/// complete, and for a hierarchical reduction without nodes.
void require_effect(const Task&, const StrategySpec& spec, const OptionValues& values) {
  require_hierarchy(spec, values);
  if (!is_set(values, "overlap")) return;
  if (!has_axis(values, Use::batch) && !has_axis(values, Use::replicas))
    throw Unsupported("overlap has no effect where the mesh has no data axis; leave it out, or add the axis");
  if (spec.state.gradients())
    throw Unsupported(
        fmt::format("overlap has no effect with ZeRO stage {}, which scatters gradients as soon as a bucket is "
                    "complete; leave it out, or use stage 0 or 1",
                    spec.state.stage));
}

}  // namespace

Facet sync_facet() {
  return {
      "sync",
      {{"overlap", true, "overlap gradient reduction with the backward pass", 0, {}},
       {"bucket_mebibytes", 25.0, "size of the gradients that one collective reduces", 0.001, {}, 1 << 20},
       {"first_bucket_mebibytes",
        1.0,
        "size of the first bucket; small, so that communication starts early",
        0.001,
        {},
        1 << 20},
       {"bucket_per_layer", false, "the gradients of different layers are never reduced by the same collective", 0, {}},
       {"hierarchical",
        false,
        "reduce-scatter gradients within a node, all-reduce the parts between nodes, gather them within the node",
        0,
        {}}},
      read,
      nullptr,
      require_effect};
}

}  // namespace ddlbench::strategies
