#include "strategies/presets.h"

namespace ddlbench::strategies {

Preset zero() {
  OpenSetting stage{"zero", std::int64_t{1}};
  stage.name = "stage";
  stage.minimum = 1;
  return {"zero",
          Family::data,
          "data parallel with sharded state: 1 optimizer states, 2 gradients, too, 3 parameters, too "
          "(Rajbhandari et al. 2020)",
          "data",
          {stage, "overlap", "bucket_mebibytes", "first_bucket_mebibytes", "microbatches", "recompute", "prefetch",
           "reshard"}};
}

}  // namespace ddlbench::strategies
