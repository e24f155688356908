#include "strategies/facets/list.h"

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

}  // namespace

Facet sync_facet() {
  return {
      "sync",
      {{"overlap", true, "overlap gradient reduction with the backward pass", 0, {}},
       {"bucket_mebibytes", 25.0, "size of the gradients reduced in one call", 0.001, {}, 1 << 20},
       {"first_bucket_mebibytes", 1.0, "size of the first call, small so that it starts early", 0.001, {}, 1 << 20}},
      read};
}

}  // namespace ddlbench::strategies
