#include "strategies/inter_layer/schedules.h"

#include "base/names.h"

namespace ddlbench::strategies {

#define DDLBENCH_SCHEDULE(name) ScheduleKind name();
#include "strategies/inter_layer/schedules.def"
#undef DDLBENCH_SCHEDULE

const std::vector<ScheduleKind>& schedules() {
  static const std::vector<ScheduleKind> kinds{
#define DDLBENCH_SCHEDULE(name) name(),
#include "strategies/inter_layer/schedules.def"
#undef DDLBENCH_SCHEDULE
  };
  return kinds;
}

const ScheduleKind& find_schedule(const std::string& wanted) {
  return find_named(schedules(), wanted, "schedule");
}

}  // namespace ddlbench::strategies
