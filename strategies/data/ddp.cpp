#include "strategies/presets.h"

namespace ddlbench::strategies {

Preset ddp() {
  return {"ddp",
          Family::data,
          "data parallel: each rank trains a part of the batch; gradients are all-reduced in buckets (Li et al. 2020)",
          "data",
          {"overlap", "bucket_mebibytes", "first_bucket_mebibytes", "microbatches", "recompute", "update_in_backward",
           "wire"}};
}

}  // namespace ddlbench::strategies
