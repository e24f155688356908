#include "strategies/presets.h"

namespace ddlbench::strategies {

Preset compressed() {
  return {"compressed",
          Family::data,
          "data parallel with compressed gradients: each rank sends the payload of a codec to all others",
          "data",
          {{"codec", Nested{{"one_bit", {}}}},
           "error_feedback",
           "momentum_correction",
           "warm_up_steps",
           "overlap",
           "bucket_mebibytes",
           "first_bucket_mebibytes",
           "microbatches",
           "recompute"}};
}

}  // namespace ddlbench::strategies
