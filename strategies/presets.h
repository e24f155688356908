#pragma once

#include "strategies/passes/schedule.h"
#include "strategies/preset.h"

namespace ddlbench::strategies {

#define DDLBENCH_PRESET(name) Preset name();
#include "strategies/presets.def"
#undef DDLBENCH_PRESET

/// Returns the strategy that runs `schedule` on all ranks.
Preset pipeline(const ScheduleKind& schedule);

}  // namespace ddlbench::strategies
