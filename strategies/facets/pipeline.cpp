#include <algorithm>

#include "strategies/facets/list.h"
#include "strategies/inter_layer/schedules.h"

namespace ddlbench::strategies {
namespace {

Option schedule_setting() {
  Option option{"schedule", schedules().front().name, "pipeline schedule", 0, {}};
  for (const ScheduleKind& schedule : schedules()) option.choices.push_back(schedule.name);
  return option;
}

/// Returns whether `mesh` names the pipeline axis. It then has the schedule even on one rank.
bool has_stages(const AxisSizes& mesh) {
  return std::any_of(mesh.begin(), mesh.end(), [](const auto& axis) { return axis.first == axis_name(Use::stages); });
}

void read(const OptionValues& values, StrategySpec& spec) {
  if (!has_stages(value_of<AxisSizes>(values, "mesh"))) return;
  const ScheduleKind& schedule = find_schedule(value_of<std::string>(values, "schedule"));
  spec.pipeline.schedule = schedule.schedule;
  if (schedule.has_chunks) spec.pipeline.chunks = static_cast<int>(value_of<std::int64_t>(values, "chunks"));
}

}  // namespace

Facet pipeline_facet() {
  return {"pipeline",
          {schedule_setting(),
           {"chunks", std::int64_t{2}, "model chunks on each rank; only for an interleaved schedule", 1, {}, 1 << 10}},
          read};
}

}  // namespace ddlbench::strategies
