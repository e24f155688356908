#include "strategies/presets.h"

namespace ddlbench::strategies {

/// The buckets have no limit but the layer: slices are what is sent.
Preset priority() {
  constexpr double unlimited = 1 << 20;
  return {
      "priority",
      Family::data,
      "data parallel: gradients are all-reduced in slices, in the order in which the next step needs them, also while "
      "that step computes (TicTac: Hashemi et al. 2019; P3: Jayarajan et al. 2019)",
      "data",
      {"slice_mebibytes", "link_gigabits", "microbatches", "recompute"},
      {{"priority", true},
       {"bucket_per_layer", true},
       {"bucket_mebibytes", unlimited},
       {"first_bucket_mebibytes", unlimited}}};
}

}  // namespace ddlbench::strategies
