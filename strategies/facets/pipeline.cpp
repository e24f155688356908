#include <fmt/core.h>
#include <algorithm>
#include <numeric>

#include "base/join.h"
#include "base/names.h"
#include "strategies/facets/list.h"
#include "strategies/inter_layer/schedules.h"
#include "strategies/passes/without_flush.h"

namespace ddlbench::strategies {
namespace {

constexpr const char* schedule_without_flush = "1f1b";

/// Returns a setting that is one of the names of `named`, by default the first.
template <class Named>
Option choice(const char* setting, const std::vector<Named>& named, const char* help) {
  Option option{setting, named.front().name, help, 0, {}};
  for (const Named& one : named) option.choices.push_back(one.name);
  return option;
}

Option schedule_setting() {
  return choice("schedule", schedules(), "pipeline schedule");
}

struct NamedVersions {
  std::string name;
  WeightVersions versions;
};
const std::vector<NamedVersions> named_versions{{"stashed", WeightVersions::stashed},
                                                {"vertical_sync", WeightVersions::vertical_sync},
                                                {"newest", WeightVersions::newest},
                                                {"corrected", WeightVersions::corrected},
                                                {"predicted", WeightVersions::predicted}};

Option weight_versions_setting() {
  return choice(
      "weight_versions", named_versions,
      "weights that a backward pass uses without flush. stashed: those of its forward pass; vertical_sync: the same, "
      "equally old on all ranks; newest: the newest; corrected: an estimate of those of its forward pass, computed "
      "from the newest; predicted: the newest, which its forward pass predicts");
}

struct NamedBalance {
  std::string name;
  Balance balance;
};
const std::vector<NamedBalance> named_balances{{"time", Balance::time},
                                               {"flops", Balance::flops},
                                               {"memory", Balance::memory},
                                               {"time_and_communication", Balance::time_and_communication}};

Option balance_setting() {
  return choice(
      "balance", named_balances,
      "load that is balanced over the pipeline stages. time: the time of the ops, or their FLOPs if it is not known; "
      "time_and_communication: also the messages, at link_gigabits; memory: estimated peak bytes");
}

/// Whether a setting applies to a schedule.
using Applies = bool (*)(const ScheduleKind&);

/// Returns the schedules to which a setting applies, with the restrictions on it.
std::string kinds_where(Applies applies, std::string_view between) {
  std::vector<std::string> kinds;
  for (const ScheduleKind& schedule : schedules()) {
    if (!applies(schedule)) continue;
    kinds.push_back(schedule.name);
    if (schedule.chunks_multiple > 1) kinds.back() += fmt::format(" (a multiple of {})", schedule.chunks_multiple);
  }
  return joined(kinds, between);
}

bool has_chunks(const ScheduleKind& schedule) {
  return schedule.has_chunks();
}

bool has_activation_limit(const ScheduleKind& schedule) {
  return schedule.has_activation_limit;
}

bool has_ranks_per_stage(const ScheduleKind& schedule) {
  return schedule.has_ranks_per_stage;
}

/// The ranks of a stage have equally many micro-batches.
std::vector<int> read_ranks_per_stage(const Integers& counts, const OptionValues& values, int ranks) {
  if (counts.empty()) return {};
  const auto microbatches = value_of<std::int64_t>(values, "microbatches");
  for (const std::int64_t count : counts)
    if (microbatches % count != 0)
      throw Unsupported(
          fmt::format("microbatches is {}, which does not divide among the {} ranks of a stage; set microbatches to a "
                      "multiple of all ranks_per_stage, which are {}",
                      microbatches, count, joined(counts)));
  if (const auto sum = std::accumulate(counts.begin(), counts.end(), std::int64_t{0}); sum != ranks)
    throw Unsupported(
        fmt::format("ranks_per_stage {} sum to {}, but the pipeline axis has {} ranks; change one of them",
                    joined(counts), sum, ranks));
  return {counts.begin(), counts.end()};
}

/// A mesh that names the pipeline axis has the schedule even on one rank.
void read_pipeline(const OptionValues& values, StrategySpec& spec) {
  if (!has_axis(values, Use::stages)) return;
  spec.pipeline = pipeline_of(find_schedule(value_of<std::string>(values, "schedule")),
                              static_cast<int>(value_of<std::int64_t>(values, "chunks")));
  spec.pipeline.activation_limit = value_of<double>(values, "activation_limit");
  spec.pipeline.balance = find_named(named_balances, value_of<std::string>(values, "balance"), "balance").balance;
  spec.pipeline.flushes = value_of<bool>(values, "flush");
  spec.pipeline.correction_decay = value_of<double>(values, "correction_decay");
  spec.pipeline.rate_steps = value_of<std::int64_t>(values, "rate_steps");
  spec.pipeline.weights =
      find_named(named_versions, value_of<std::string>(values, "weight_versions"), "versions of weights").versions;
  spec.pipeline.plans_stages = value_of<bool>(values, "plan_stages");
  const auto& counts = value_of<Integers>(values, "ranks_per_stage");
  const bool replicates = spec.pipeline.plans_stages ||
                          std::any_of(counts.begin(), counts.end(), [](std::int64_t count) { return count > 1; });
  if (replicates && keeps_newest_only(spec.timing()) && !spec.pipeline.flushes)
    throw Unsupported(
        "stages of several ranks need several micro-batches, and without flush these need older weights; leave out "
        "ranks_per_stage and plan_stages, or set weight_versions to stashed or vertical_sync");
  spec.pipeline.ranks_per_stage = read_ranks_per_stage(counts, values, spec.mesh.stages);
  if (!spec.pipeline.flushes && value_of<std::string>(values, "schedule") != schedule_without_flush)
    throw Unsupported(fmt::format("flush: false needs schedule '{}', not '{}'", schedule_without_flush,
                                  value_of<std::string>(values, "schedule")));
}

/// Throws Unsupported for what needs the gradients of a whole batch, or the weights, at one time.
void require_flush(const Task& task, const StrategySpec& spec) {
  const auto reject = [](const char* why, const char* remedy) {
    throw Unsupported(fmt::format("without flush, {}; {}, or use a schedule with flush", why, remedy));
  };
  if (task.optimizer.guard.any())
    reject("ranks of the pipeline update in different steps, so that there is no norm of all gradients",
           "leave out clip_norm, use another precision than fp16");
  if (spec.memory.kind != Recomputation::Kind::none)
    reject("activations are kept for later steps, and nothing is recomputed", "leave out recompute");
  if (spec.state.stage > 0)
    reject("each rank keeps several versions of its weights, which are not sharded", "leave out zero");
  if (!spec.state.keeps_gradients)
    reject("the gradient of a batch may be summed in two steps", "leave out update_in_backward");
  if (keeps_newest_only(spec.timing()) && spec.batch.microbatches > 1)
    reject("the micro-batches of one batch would use different weights where no older ones are kept",
           "set microbatches to 1");
  if (spec.pipeline.weights == WeightVersions::predicted &&
      (task.optimizer.states != std::vector<std::string>{"momentum"} || task.optimizer.measure != nullptr))
    reject("weights are predicted by the momentum of sgd", "use this optimizer with momentum");
  if (spec.pipeline.rate_steps > 0 && task.optimizer.measure != nullptr)
    reject("learning rates that differ between ranks would be multiplied by those that the optimizer gives layers",
           "use sgd or adam, or set rate_steps to 0");
  const SyncSpec& sync = spec.sync;
  if (spec.weights.own() || sync.codec || sync.wire || sync.approximation_rank > 0 || sync.priority ||
      sync.cycle_milliseconds > 0)
    reject("gradients can only be summed over ranks as they are, when all are ready",
           "leave out averaging, gossip, codec, wire, matrix_approximation_rank, priority and cycle_milliseconds");
}

void require_pipeline(const Task& task, const StrategySpec& spec) {
  const bool plans = spec.pipeline.plans_stages && spec.mesh.stages > 1;
  if (plans && !spec.memory.stages.empty())
    throw Unsupported("plan_stages chooses the stages, which recompute_stages cannot know; leave one of them out");
  if (plans && spec.pipeline.balance != Balance::time_and_communication)
    throw Unsupported(
        "plan_stages needs the cost of all-reduces, without which one stage on all ranks always wins; set balance to "
        "time_and_communication, and link_gigabits to the rate of the links");
  if (!spec.timing().flushes) require_flush(task, spec);
}

/// Throws Unsupported for a schedule or chunks without what they apply to.
void require_pipeline_effect(const Task&, const StrategySpec&, const OptionValues& values) {
  const bool staged = has_axis(values, Use::stages);
  for (const char* setting : {"schedule", "chunks", "activation_limit", "balance", "ranks_per_stage", "plan_stages",
                              "flush", "weight_versions", "correction_decay", "rate_steps"}) {
    if (staged || !is_set(values, setting)) continue;
    throw Unsupported(std::string(setting) +
                      " has no effect where the mesh has no pipeline axis; leave it out, or add "
                      "the axis");
  }
  for (const char* setting : {"weight_versions", "correction_decay", "rate_steps"})
    if (is_set(values, setting) && value_of<bool>(values, "flush"))
      throw Unsupported(fmt::format(
          "{} has no effect where the pipeline flushes in every step; leave it out, or set flush to false", setting));
  if (is_set(values, "correction_decay") && value_of<std::string>(values, "weight_versions") != "corrected")
    throw Unsupported(
        "correction_decay has no effect without corrected weights; leave it out, or set weight_versions "
        "to corrected");
  if (is_set(values, "ranks_per_stage") && is_set(values, "plan_stages"))
    throw Unsupported("set only one of ranks_per_stage and plan_stages: the planner chooses the ranks of each stage");
  if (is_set(values, "plan_stages") && value_of<std::int64_t>(values, "microbatches") == 1)
    throw Unsupported(
        "plan_stages has no effect with one micro-batch, which no stage can divide among its ranks; set microbatches");
  struct OfSchedule {
    const char* setting;
    Applies applies;
    const char* otherwise = "";
  };
  for (const auto& [setting, applies, otherwise] : {OfSchedule{"chunks", has_chunks, ", which fixes their number"},
                                                    {"activation_limit", has_activation_limit},
                                                    {"ranks_per_stage", has_ranks_per_stage},
                                                    {"plan_stages", has_ranks_per_stage}}) {
    if (!is_set(values, setting)) continue;
    const std::string& schedule = value_of<std::string>(values, "schedule");
    if (!applies(find_schedule(schedule)))
      throw Unsupported(fmt::format("{} has no effect with schedule '{}'{}; leave it out, or use {}", setting, schedule,
                                    otherwise, kinds_where(applies, " or ")));
  }
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
            "model chunks on each rank; only for " + kinds_where(has_chunks, " and "),
            1,
            {},
            1 << 10},
           {"activation_limit",
            1.0,
            "activations that a rank may hold, as a multiple of those of the first rank with 1f1b; only for " +
                kinds_where(has_activation_limit, " and "),
            0,
            {},
            1 << 10,
            {},
            true},
           balance_setting(),
           {"ranks_per_stage",
            Integers{},
            "number of ranks of each stage, which run its micro-batches round-robin, such as [3, 1]; each must divide "
            "microbatches; only for " +
                kinds_where(has_ranks_per_stage, " and ") + "; empty: one rank per stage",
            1,
            {},
            1 << 12},
           {"plan_stages", false,
            "choose the stages and ranks_per_stage that minimise the time per micro-batch of the slowest stage, like "
            "PipeDream's planner; needs balance time_and_communication"},
           {"flush", true,
            "complete all micro-batches of a step before the next step; only 1f1b can run without flush, with older "
            "weights"},
           weight_versions_setting(),
           {"correction_decay",
            0.1,
            "with corrected weights: the share of an update that is left in the mean change after T more updates, "
            "where T is the number of updates between a forward pass and its backward pass",
            0,
            {},
            1},
           {"rate_steps",
            std::int64_t{0},
            "without flush: number of steps until ranks with older weights use the full learning rate; in step t they "
            "divide it by (1 + delay)^(1 - t / rate_steps), where delay is in updates; 0: the full rate from the first "
            "step",
            0,
            {},
            1 << 30}},
          read_pipeline,
          require_pipeline,
          require_pipeline_effect};
}

}  // namespace ddlbench::strategies
