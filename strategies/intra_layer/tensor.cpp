#include "strategies/presets.h"

namespace ddlbench::strategies {

Preset tensor() {
  return {"tensor",
          Family::intra_layer,
          "tensor parallel: linear layers split by columns and rows in turn, convolutions by output channels "
          "(Shoeybi et al. 2019)",
          "tensor",
          {"microbatches", "recompute"}};
}

}  // namespace ddlbench::strategies
