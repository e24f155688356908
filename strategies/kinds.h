#pragma once

#include "strategies/passes/schedule.h"
#include "strategies/strategy.h"

/// The strategies that are not pipeline schedules, each defined in the folder of its family.
namespace ddlbench::strategies {

StrategyKind single();
StrategyKind ddp();
StrategyKind zero();
StrategyKind tensor();
StrategyKind pipeline(const ScheduleKind& schedule);
StrategyKind hybrid();

}  // namespace ddlbench::strategies
