#pragma once

#include <vector>

#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {

/// Returns every pipeline schedule, in the order of schedules.def.
const std::vector<ScheduleKind>& schedules();

/// Returns the schedule called `name`. Throws InputError that names the nearest match.
const ScheduleKind& find_schedule(const std::string& name);

}  // namespace ddlbench::strategies
