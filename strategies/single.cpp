#include "strategies/presets.h"

namespace ddlbench::strategies {

Preset single() {
  return {"single",
          Family::single,
          "one rank, no parallelism: the baseline of all others",
          "",
          {"microbatches", "recompute", "update_in_backward"}};
}

}  // namespace ddlbench::strategies
