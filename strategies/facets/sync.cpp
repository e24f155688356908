#include "strategies/facets/list.h"

#include <fmt/core.h>

namespace ddlbench::strategies {
namespace {

std::int64_t bytes_of(const OptionValues& values, const char* setting) {
  return static_cast<std::int64_t>(value_of<double>(values, setting) * 1024 * 1024);
}

void read(const OptionValues& values, StrategySpec& spec) {
  spec.sync.overlap = value_of<bool>(values, "overlap");
  spec.sync.buckets.bytes = bytes_of(values, "bucket_mebibytes");
  spec.sync.buckets.first_bytes = bytes_of(values, "first_bucket_mebibytes");
}

/// Throws Unsupported for overlap where no gradient is reduced, or where each is scattered as soon as its bucket is
/// complete.
void require_effect(const Task&, const StrategySpec& spec, const OptionValues& values) {
  if (!is_set(values, "overlap")) return;
  if (!has_axis(values, Use::batch))
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
       {"first_bucket_mebibytes", 1.0, "size of the first bucket; small, so that communication starts early", 0.001, {}, 1 << 20}},
      read,
      nullptr,
      require_effect};
}

}  // namespace ddlbench::strategies
