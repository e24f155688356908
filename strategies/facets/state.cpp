#include "strategies/facets/list.h"

#include <fmt/core.h>

namespace ddlbench::strategies {
namespace {

void read_state(const OptionValues& values, StrategySpec& spec) {
  spec.state.stage = static_cast<int>(value_of<std::int64_t>(values, "zero"));
  spec.state.prefetch = static_cast<int>(value_of<std::int64_t>(values, "prefetch"));
  spec.state.reshard = value_of<bool>(values, "reshard");
  spec.state.keeps_gradients = !value_of<bool>(values, "update_in_backward");
}

/// With update_in_backward, each gradient is of one micro-batch and is used before the step's other gradients are
/// known.
void require_state(const Task& task, const StrategySpec& spec) {
  if (spec.state.keeps_gradients) return;
  const std::string early = "update_in_backward uses each gradient as soon as it is complete, ";
  if (spec.batch.microbatches > 1)
    throw Unsupported(early + "which is only after the last micro-batch; use one micro-batch");
  const bool shards = spec.state.stage > 0 && spec.mesh.batch > 1;
  if (shards || spec.mesh.stages > 1)
    throw Unsupported(early + "which neither sharded state nor stages support; leave out zero and the pipeline axis");
  if (spec.sync.hierarchical)
    throw Unsupported(early + "but a hierarchical reduction needs memory for all gradients; leave out one of them");
  if (!spec.sync.overlap)
    throw Unsupported(early + "but with overlap false it is reduced only at the end; leave overlap true");
  const graph::Guard& guard = task.optimizer.guard;
  if (guard.max_norm > 0) throw Unsupported(early + "before the norm of all is known; leave out clip_norm");
  if (guard.skip_overflow)
    throw Unsupported(early + "before it is known whether one overflows; use another precision than fp16");
}

/// Throws Unsupported for a ZeRO stage without the data axis, and for settings of stage 3 with another stage.
void require_state_effect(const Task&, const StrategySpec& spec, const OptionValues& values) {
  if (spec.state.stage > 0 && !has_axis(values, Use::batch))
    throw Unsupported("zero has no effect where the mesh has no data axis; leave it out, or add the axis");
  if (spec.state.stage == 3) return;
  for (const char* setting : {"prefetch", "reshard"}) {
    if (!is_set(values, setting)) continue;
    throw Unsupported(fmt::format(
        "{} has no effect with ZeRO stage {}, which does not shard parameters; leave it out, or use stage 3", setting,
        spec.state.stage));
  }
}

}  // namespace

Facet state_facet() {
  return {"state",
          {{"zero", std::int64_t{0}, "ZeRO stage on the data axis", 0, {}, 3},
           {"prefetch", std::int64_t{1}, "stage 3: number of buckets gathered ahead of use", 0, {}, 1 << 10},
           {"reshard", true, "stage 3: drop parameters after forward and gather them again", 0, {}},
           {"update_in_backward", false,
            "update weights as soon as their gradients are complete, and keep no gradients: less memory, same results; "
            "only with one micro-batch, and without clip_norm and fp16"}},
          read_state,
          require_state,
          require_state_effect};
}

}  // namespace ddlbench::strategies
