#include "strategies/presets.h"

namespace ddlbench::strategies {

Preset local_sgd() {
  OpenSetting every{"average_every"};
  every.name = "every";
  return {
      "local_sgd",
      Family::data,
      "data parallel: each rank trains on its own samples, and the ranks' weights are averaged every few steps (Lin "
      "et al. 2018)",
      "data",
      {{"averaging", Nested{{"mean", {}}}},
       every,
       "average_states",
       "synchronous_steps",
       "bucket_mebibytes",
       "first_bucket_mebibytes",
       "microbatches",
       "recompute"}};
}

}  // namespace ddlbench::strategies
