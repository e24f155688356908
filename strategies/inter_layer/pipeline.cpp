#include "strategies/presets.h"

namespace ddlbench::strategies {

Preset pipeline(const ScheduleKind& schedule) {
  Preset preset{schedule.name,
                Family::inter_layer,
                schedule.help,
                "pipeline",
                {{"microbatches", std::int64_t{schedule.microbatches}}, "recompute"},
                {{"schedule", schedule.name}}};
  if (schedule.has_chunks()) preset.open.push_back("chunks");
  return preset;
}

}  // namespace ddlbench::strategies
