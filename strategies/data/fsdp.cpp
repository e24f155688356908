#include "strategies/presets.h"

namespace ddlbench::strategies {

Preset fsdp() {
  return {"fsdp",
          Family::data,
          "fully sharded data parallel: zero stage 3, with parameters gathered before use and dropped afterwards "
          "(Zhao et al. 2023)",
          "data",
          {"bucket_mebibytes", "microbatches", "recompute", "prefetch", "reshard", "node_ranks", "wire"},
          {{"zero", std::int64_t{3}}}};
}

}  // namespace ddlbench::strategies
