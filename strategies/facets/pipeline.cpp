#include <fmt/core.h>

#include "base/join.h"
#include "strategies/facets/list.h"
#include "strategies/inter_layer/schedules.h"

namespace ddlbench::strategies {
namespace {

Option schedule_setting() {
  Option option{"schedule", schedules().front().name, "pipeline schedule", 0, {}};
  for (const ScheduleKind& schedule : schedules()) option.choices.push_back(schedule.name);
  return option;
}

/// Returns the schedules to which the setting applies, with the restrictions on it.
std::string kinds_with_chunks(std::string_view between) {
  std::vector<std::string> kinds;
  for (const ScheduleKind& schedule : schedules()) {
    if (!schedule.has_chunks()) continue;
    kinds.push_back(schedule.name);
    if (schedule.chunks_multiple > 1) kinds.back() += fmt::format(" (a multiple of {})", schedule.chunks_multiple);
  }
  return joined(kinds, between);
}

/// A mesh that names the pipeline axis has the schedule even on one rank.
void read_pipeline(const OptionValues& values, StrategySpec& spec) {
  if (!has_axis(values, Use::stages)) return;
  spec.pipeline = pipeline_of(find_schedule(value_of<std::string>(values, "schedule")),
                              static_cast<int>(value_of<std::int64_t>(values, "chunks")));
}

/// Throws Unsupported where several copies of the model would observe one statistic.
void require_pipeline(const Task& task, const StrategySpec& spec) {
  if (spec.timing().model_copies > 1 && !task.model.observations.empty())
    throw Unsupported(fmt::format(
        "the schedule has {} copies of the model, each of which would observe its own statistics of batch norm; use "
        "another schedule, or a model without batch norm",
        spec.timing().model_copies));
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
  if (!find_schedule(schedule).has_chunks())
    throw Unsupported(
        fmt::format("chunks has no effect with schedule '{}', which fixes their number; leave it out, or use {}",
                    schedule, kinds_with_chunks(" or ")));
}

}  // namespace

PipelineSpec pipeline_of(const ScheduleKind& kind, int chunks) {
  if (kind.has_chunks() && chunks % kind.chunks_multiple != 0)
    throw Unsupported(
        fmt::format("schedule '{0}' needs a multiple of {1} chunks on each rank, not {2}; set chunks to {3}", kind.name,
                    kind.chunks_multiple, chunks, (chunks / kind.chunks_multiple + 1) * kind.chunks_multiple));
  PipelineSpec spec;
  spec.schedule = kind.schedule;
  spec.chunk_order = kind.chunk_order;
  spec.chunks = kind.has_chunks() ? chunks : kind.chunks;
  spec.model_copies = kind.model_copies;
  return spec;
}

Facet pipeline_facet() {
  return {"pipeline",
          {schedule_setting(),
           {"chunks",
            std::int64_t{2},
            "model chunks on each rank; only for " + kinds_with_chunks(" and "),
            1,
            {},
            1 << 10}},
          read_pipeline,
          require_pipeline,
          require_pipeline_effect};
}

}  // namespace ddlbench::strategies
