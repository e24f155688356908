#pragma once

#include <vector>

#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {

/// Every pipeline schedule: those that schedules.def lists, in its order.
const std::vector<ScheduleKind>& schedules();

const ScheduleKind& find_schedule(const std::string& name);  ///< throws InputError naming the nearest

}  // namespace ddlbench::strategies
