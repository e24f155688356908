#include "strategies/presets.h"

namespace ddlbench::strategies {

Preset balanced() {
  OpenSetting speeds{"speeds"};
  speeds.required = true;
  return {"balanced",
          Family::data,
          "data parallel on ranks of different speed: each rank trains a part of the batch in proportion to its speed",
          "data",
          {speeds, "overlap", "bucket_mebibytes", "first_bucket_mebibytes", "microbatches", "recompute",
           "update_in_backward"}};
}

}  // namespace ddlbench::strategies
