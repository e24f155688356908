#include "strategies/presets.h"

namespace ddlbench::strategies {

Preset pipeline(const ScheduleKind& schedule) {
  Preset preset{schedule.name,
                Family::inter_layer,
                schedule.help,
                "pipeline",
                {{"microbatches", std::int64_t{schedule.microbatches}},
                 "balance",
                 "link_gigabits",
                 "recompute",
                 "recompute_stages"},
                {{"schedule", schedule.name}}};
  if (schedule.has_chunks()) preset.open.push_back("chunks");
  if (schedule.has_activation_limit) preset.open.push_back("activation_limit");
  if (schedule.has_ranks_per_stage) preset.open.insert(preset.open.end(), {"ranks_per_stage", "plan_stages"});
  return preset;
}

Preset pipedream() {
  return {"pipedream",
          Family::inter_layer,
          "1f1b without flush, with a version of the weights for each batch in flight (Harlap et al. 2018)",
          "pipeline",
          {{"microbatches", std::int64_t{1}},
           "weight_versions",
           "rate_steps",
           "balance",
           "ranks_per_stage",
           "plan_stages",
           "link_gigabits"},
          {{"schedule", std::string("1f1b")}, {"flush", false}}};
}

Preset spectrain() {
  return {"spectrain",
          Family::inter_layer,
          "1f1b without flush, with forward passes that predict the weights of their backward pass (Chen et al. 2018)",
          "pipeline",
          {"balance", "link_gigabits"},
          {{"microbatches", std::int64_t{1}},
           {"schedule", std::string("1f1b")},
           {"flush", false},
           {"weight_versions", std::string("predicted")}}};
}

Preset pipemare() {
  return {"pipemare",
          Family::inter_layer,
          "1f1b without flush, with corrected weights in backward passes, and lower learning rates for older weights "
          "in the first steps (Yang et al. 2021)",
          "pipeline",
          {{"rate_steps", std::int64_t{1000}}, "correction_decay", "balance", "link_gigabits"},
          {{"microbatches", std::int64_t{1}},
           {"schedule", std::string("1f1b")},
           {"flush", false},
           {"weight_versions", std::string("corrected")}}};
}

Preset pipedream_2bw() {
  return {"pipedream_2bw",
          Family::inter_layer,
          "1f1b without flush, with weights equally old on all ranks (Narayanan et al. 2021)",
          "pipeline",
          {{"microbatches", std::int64_t{4}}, "balance", "ranks_per_stage", "plan_stages", "link_gigabits"},
          {{"schedule", std::string("1f1b")}, {"flush", false}, {"weight_versions", std::string("vertical_sync")}}};
}

}  // namespace ddlbench::strategies
