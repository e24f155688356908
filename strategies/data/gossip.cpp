#include "strategies/presets.h"

namespace ddlbench::strategies {

Preset gossip() {
  OpenSetting graph{"gossip", Nested{{"ring", {}}}};
  graph.name = "graph";
  return {"gossip",
          Family::data,
          "data parallel: each rank trains on its own samples, and averages its weights with its neighbours' (D-PSGD, "
          "Lian et al. 2017)",
          "data",
          {graph, "bucket_mebibytes", "first_bucket_mebibytes", "microbatches", "recompute"}};
}

}  // namespace ddlbench::strategies
