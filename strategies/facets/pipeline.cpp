#include "strategies/facets/list.h"
#include "strategies/inter_layer/schedules.h"

namespace ddlbench::strategies {
namespace {

Option schedule_setting() {
  Option option{"schedule", schedules().front().name, "pipeline schedule", 0, {}};
  for (const ScheduleKind& schedule : schedules()) option.choices.push_back(schedule.name);
  return option;
}

/// A mesh that names the pipeline axis has the schedule even on one rank.
void read_pipeline(const OptionValues& values, StrategySpec& spec) {
  if (!has_axis(values, Use::stages)) return;
  const ScheduleKind& schedule = find_schedule(value_of<std::string>(values, "schedule"));
  spec.pipeline.schedule = schedule.schedule;
  if (schedule.has_chunks) spec.pipeline.chunks = static_cast<int>(value_of<std::int64_t>(values, "chunks"));
}

/// Throws Unsupported for a schedule or chunks without what they apply to.
void require_pipeline_effect(const Task&, const StrategySpec&, const OptionValues& values) {
  const bool staged = has_axis(values, Use::stages);
  for (const char* setting : {"schedule", "chunks"}) {
    if (staged || !is_set(values, setting)) continue;
    throw Unsupported(std::string(setting) +
                      " has no effect where the mesh has no pipeline axis; leave it out, or add "
                      "the axis");
  }
  if (!is_set(values, "chunks")) return;
  const std::string& schedule = value_of<std::string>(values, "schedule");
  if (!find_schedule(schedule).has_chunks)
    throw Unsupported("chunks has no effect with schedule '" + schedule +
                      "', which has one chunk on each rank; leave it out, or use an interleaved schedule");
}

}  // namespace

Facet pipeline_facet() {
  return {"pipeline",
          {schedule_setting(),
           {"chunks", std::int64_t{2}, "model chunks on each rank; only for an interleaved schedule", 1, {}, 1 << 10}},
          read_pipeline,
          nullptr,
          require_pipeline_effect};
}

}  // namespace ddlbench::strategies
