#include "strategies/inter_layer/schedules.h"

#include "graph/names.h"

/// One line a schedule: it declares the function, lists it, and makes a strategy and a hybrid's choice of it.
#define DDLBENCH_SCHEDULES(schedule) schedule(gpipe)

namespace ddlbench::strategies {

#define DDLBENCH_DECLARE(name) ScheduleKind name();
DDLBENCH_SCHEDULES(DDLBENCH_DECLARE)
#undef DDLBENCH_DECLARE

const std::vector<ScheduleKind>& schedules() {
#define DDLBENCH_LIST(name) name(),
  static const std::vector<ScheduleKind> kinds{DDLBENCH_SCHEDULES(DDLBENCH_LIST)};
#undef DDLBENCH_LIST
  return kinds;
}

const ScheduleKind& find_schedule(const std::string& wanted) {
  return graph::find_named(schedules(), wanted, "schedule");
}

}  // namespace ddlbench::strategies
