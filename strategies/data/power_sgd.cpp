#include "strategies/presets.h"

namespace ddlbench::strategies {

Preset power_sgd() {
  OpenSetting rank("matrix_approximation_rank", std::int64_t{2});
  rank.minimum = 1;
  return {"power_sgd",
          Family::data,
          "data parallel with gradients that are approximated by products of two narrow matrices (Vogels et al. 2019)",
          "data",
          {rank, "overlap", "bucket_mebibytes", "first_bucket_mebibytes", "microbatches", "recompute"}};
}

}  // namespace ddlbench::strategies
