#include "strategies/presets.h"

namespace ddlbench::strategies {

/// Leaves every setting of every facet open.
Preset hybrid() {
  return {"hybrid",
          Family::hybrid,
          "a mesh of data, tensor and pipeline axes, as in {\"mesh\": {\"data\": 2, \"pipeline\": 2}}",
          "",
          {"overlap",
           "bucket_mebibytes",
           "first_bucket_mebibytes",
           "cycle_milliseconds",
           "priority",
           "slice_mebibytes",
           "link_gigabits",
           "bucket_per_layer",
           "hierarchical",
           "wire",
           "codec",
           "error_feedback",
           "momentum_correction",
           "warm_up_steps",
           "matrix_approximation_rank",
           "averaging",
           "average_every",
           "average_states",
           "synchronous_steps",
           "gossip",
           "mesh",
           "node_ranks",
           {"microbatches", std::int64_t{4}},
           "speeds",
           "schedule",
           "chunks",
           "activation_limit",
           "balance",
           "ranks_per_stage",
           "plan_stages",
           "flush",
           "weight_versions",
           "correction_decay",
           "rate_steps",
           "recompute",
           "recompute_stages",
           "zero",
           "prefetch",
           "reshard",
           "update_in_backward"}};
}

}  // namespace ddlbench::strategies
