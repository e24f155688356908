#pragma once

#include <vector>

#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {

/// Every pipeline schedule, each defined by a function `ScheduleKind NAME()` in a file of its own.
const std::vector<ScheduleKind>& schedules();

const ScheduleKind& find_schedule(const std::string& name);  ///< throws InputError naming the nearest

}  // namespace ddlbench::strategies
