#include "strategies/presets.h"

namespace ddlbench::strategies {

Preset fsdp() {
  return {"fsdp",
          Family::data,
          "fully sharded data parallel: zero's stage 3, parameters gathered ahead of their use and dropped after it "
          "(Zhao et al. 2023)",
          "data",
          {"bucket_mebibytes", "microbatches", "recompute", "prefetch", "reshard"},
          {{"zero", std::int64_t{3}}}};
}

}  // namespace ddlbench::strategies
