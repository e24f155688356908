#include "strategies/presets.h"

namespace ddlbench::strategies {

Preset hierarchical() {
  OpenSetting node_ranks{"node_ranks", std::int64_t{2}};
  node_ranks.minimum = 1;
  return {"hierarchical",
          Family::data,
          "data parallel over nodes: gradients are reduce-scattered within a node, all-reduced between nodes and "
          "gathered within the node (Cho et al. 2019)",
          "data",
          {node_ranks, "overlap", "bucket_mebibytes", "first_bucket_mebibytes", "microbatches", "recompute", "wire"},
          {{"hierarchical", true}}};
}

}  // namespace ddlbench::strategies
