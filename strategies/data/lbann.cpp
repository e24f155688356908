#include "strategies/presets.h"

namespace ddlbench::strategies {

/// The buckets have no limit but the layer.
Preset lbann() {
  constexpr double unlimited = 1 << 20;
  return {"lbann",
          Family::data,
          "data parallel with one all-reduce per layer; each layer is updated as soon as its own sum is complete (Van "
          "Essen et al. 2015)",
          "data",
          {"overlap", "microbatches", "recompute", "wire"},
          {{"bucket_per_layer", true}, {"bucket_mebibytes", unlimited}, {"first_bucket_mebibytes", unlimited}}};
}

}  // namespace ddlbench::strategies
