#include "strategies/presets.h"

namespace ddlbench::strategies {

Preset zero() {
  OpenSetting stage{"zero", std::int64_t{1}};
  stage.name = "stage";
  stage.minimum = 1;
  return {"zero",
          Family::data,
          "data parallel with sharded state: stage 1 shards optimizer states, 2 also gradients, 3 also parameters "
          "(Rajbhandari et al. 2020)",
          "data",
          {stage, "overlap", "bucket_mebibytes", "first_bucket_mebibytes", "microbatches", "recompute", "prefetch",
           "reshard", "node_ranks", "wire"}};
}

}  // namespace ddlbench::strategies
