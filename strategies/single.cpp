#include "strategies/presets.h"

namespace ddlbench::strategies {

Preset single() {
  return {"single",
          Family::single,
          "one rank, no parallelism: what all others are held against",
          "",
          {"microbatches", "recompute", "update_in_backward"}};
}

}  // namespace ddlbench::strategies
