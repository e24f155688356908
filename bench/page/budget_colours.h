#pragma once

#include <string>

#include "bench/page/html.h"
#include "bench/report/timeline_drawing.h"
#include "program/budget.h"

namespace ddlbench::bench {

/// Return the colour of a stretch in a schedule, and of the part of a budget that consists of such stretches.
std::string stretch_colour(StretchKind kind);
std::string budget_colour(double program::Budget::*part);

Html schedule_legend();
Html budget_legend();

}  // namespace ddlbench::bench
