#include <algorithm>

#include "strategies/facets/list.h"
#include "strategies/inter_layer/schedules.h"

namespace ddlbench::strategies {
namespace {

graph::Option schedule_setting() {
  graph::Option option{"schedule", schedules().front().name, "order of the pipeline axis", 0, {}};
  for (const ScheduleKind& schedule : schedules()) option.choices.push_back(schedule.name);
  return option;
}

/// A mesh that names the axis has the schedule on one rank, too.
bool has_stages(const graph::AxisSizes& mesh) {
  return std::any_of(mesh.begin(), mesh.end(), [](const auto& axis) { return axis.first == axis_name(Use::stages); });
}

void read(const graph::OptionValues& values, StrategySpec& spec) {
  if (!has_stages(graph::value_of<graph::AxisSizes>(values, "mesh"))) return;
  const ScheduleKind& schedule = find_schedule(graph::value_of<std::string>(values, "schedule"));
  spec.pipeline.schedule = schedule.schedule;
  if (schedule.has_chunks) spec.pipeline.chunks = static_cast<int>(graph::value_of<std::int64_t>(values, "chunks"));
}

}  // namespace

Facet pipeline_facet() {
  return {"pipeline",
          {schedule_setting(),
           {"chunks", std::int64_t{2}, "chunks of the model on each rank, of an interleaved schedule", 1, {}, 1 << 10}},
          read};
}

}  // namespace ddlbench::strategies
