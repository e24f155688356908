#include "strategies/presets.h"

namespace ddlbench::strategies {

Preset horovod() {
  OpenSetting cycle{"cycle_milliseconds", 1.0};
  cycle.minimum = 0.001;
  OpenSetting fusion{"bucket_mebibytes", 128.0};
  fusion.name = "fusion_mebibytes";
  return {"horovod",
          Family::data,
          "data parallel: ranks negotiate in each cycle which gradients are ready, and all-reduce these together "
          "(Sergeev & Del Balso 2018)",
          "data",
          {cycle, fusion, "microbatches", "recompute", "wire"}};
}

}  // namespace ddlbench::strategies
