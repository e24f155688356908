#include <fmt/core.h>

#include "base/error.h"
#include "graph/ops/batch_norm.h"
#include "strategies/facets/list.h"

namespace ddlbench::strategies {
namespace {

using Kind = WeightsSpec::Kind;

constexpr const char* no_averaging = "none";

Option averaging_setting() {
  Option option{"averaging",
                Nested{{no_averaging, {}}},
                "each rank updates its own weights, with the gradient of its own samples, and from time to time all "
                "ranks average them; `none`: all ranks have the same weights",
                0,
                {}};
  option.kinds = {
      {no_averaging, "ranks have equal weights", {}},
      {"mean", "all ranks continue from the mean of their weights", {}},
      {"block_momentum",
       "the change of the mean is the gradient of an outer step with momentum (BMUF)",
       {{"momentum", 0.5, "of the outer step", 0, {}, 0.999},
        {"rate", 1.0, "of the outer step", 1e-6, {}, 100},
        {"nesterov", true, "ranks continue from the global weights plus momentum times their change", 0, {}}}},
      {"elastic",
       "each rank moves towards a common center, and the center towards the mean of the ranks (synchronous elastic "
       "averaging)",
       {{"strength",
         0.9,
         "fraction of its distance to the mean of the ranks by which the center moves; each rank moves by this "
         "fraction, divided by the number of ranks, of its distance to the center",
         1e-6,
         {},
         1}}}};
  return option;
}

Option gossip_setting() {
  Option option{"gossip",
                Nested{{no_averaging, {}}},
                "each rank updates its own weights, with the gradient of its own samples, and in each step averages "
                "them with those of its neighbours in this graph; `none`: all ranks have the same weights",
                0,
                {}};
  option.kinds = {{no_averaging, "ranks have equal weights", {}},
                  {"ring", "both neighbours on a ring", {}},
                  {"exponential", "the rank that is 1, 2, 4, … ranks away, in turn", {}},
                  {"random",
                   "a rank at a random distance, which is the same for all ranks of a step",
                   {{"seed", std::int64_t{1}, "of the distances", 0, {}, 1'000'000'000}}}};
  return option;
}

void read_weights(const OptionValues& values, StrategySpec& spec) {
  WeightsSpec& weights = spec.weights;
  const Choice& averaging = value_of<Nested>(values, "averaging").front();
  const Choice& gossip = value_of<Nested>(values, "gossip").front();
  if (averaging.kind != no_averaging && gossip.kind != no_averaging)
    throw InputError("averaging and gossip are two ways to bring weights together: leave one of them out");
  weights.every = value_of<std::int64_t>(values, "average_every");
  weights.synchronous_steps = value_of<std::int64_t>(values, "synchronous_steps");
  weights.averages_states = value_of<bool>(values, "average_states");
  if (averaging.kind == "mean") weights.kind = Kind::mean;
  if (averaging.kind == "block_momentum") {
    weights.kind = Kind::block_momentum;
    weights.momentum = value_of<double>(averaging.options, "momentum");
    weights.rate = value_of<double>(averaging.options, "rate");
    weights.nesterov = value_of<bool>(averaging.options, "nesterov");
  }
  if (averaging.kind == "elastic") {
    weights.kind = Kind::elastic;
    weights.strength = value_of<double>(averaging.options, "strength");
  }
  if (gossip.kind == "ring") weights.kind = Kind::ring;
  if (gossip.kind == "exponential") weights.kind = Kind::exponential;
  if (gossip.kind == "random") {
    weights.kind = Kind::random;
    weights.seed = value_of<std::int64_t>(gossip.options, "seed");
  }
}

/// Ranks with weights of their own must be able to compute their gradients alone.
void require_weights(const Task& task, const StrategySpec& spec) {
  if (!spec.weights.own() || spec.mesh.data_ranks() == 1) return;
  const std::string setting = spec.weights.gossips() ? "gossip" : "averaging";
  if (spec.mesh.stages > 1 || spec.mesh.features > 1)
    throw Unsupported(setting + " needs a mesh whose axes all split the batch; leave it out, or the other axes");
  if (spec.weights.gossips() && spec.mesh.replicas > 1)
    throw Unsupported("gossip needs a mesh with one axis; leave out node_ranks, or the replica axis");
  if (spec.state.states() || spec.sync.hierarchical)
    throw Unsupported(setting + " needs whole weights on each rank; leave out zero and hierarchical");
  if (!spec.state.keeps_gradients)
    throw Unsupported(setting + " needs memory for all gradients; leave out update_in_backward");
  if (spec.sync.cycle_milliseconds > 0)
    throw Unsupported(setting + " sends weights instead of gradients; leave out cycle_milliseconds");
  if (spec.sync.wire || spec.sync.codec || spec.sync.approximation_rank > 0)
    throw Unsupported(setting +
                      " sends weights instead of gradients; leave out wire, codec and matrix_approximation_rank");
  if (graph::normalises_whole_batch(task.model))
    throw Unsupported(setting +
                      " needs gradients that depend on the samples of one rank only; use a model with "
                      "samples_per_statistic");
  if (task.optimizer.guard.skip_overflow)
    throw Unsupported(setting + " needs gradients without a loss scale; use another precision than fp16");
  if (task.optimizer.guard.any())
    throw Unsupported(setting + " needs a gradient whose norm is not limited; leave out clip_norm");
}

void require_weights_effect(const Task&, const StrategySpec& spec, const OptionValues& values) {
  for (const char* setting : {"averaging", "gossip"}) {
    if (!is_set(values, setting) || has_axis(values, Use::batch) || has_axis(values, Use::replicas)) continue;
    throw Unsupported(
        fmt::format("{} has no effect where the mesh has no data axis; leave it out, or add the axis", setting));
  }
  const bool averages = spec.weights.own() && !spec.weights.gossips();
  for (const char* setting : {"average_every", "synchronous_steps", "average_states"}) {
    if (is_set(values, setting) && !averages)
      throw Unsupported(fmt::format("{} has no effect without averaging; leave it out, or add averaging", setting));
  }
}

}  // namespace

Facet weights_facet() {
  return {"weights",
          {averaging_setting(),
           {"average_every", std::int64_t{8}, "steps from one averaging of weights to the next", 1, {}, 1000},
           {"synchronous_steps",
            std::int64_t{0},
            "first steps in which ranks sum their gradients and have equal weights",
            0,
            {},
            1'000'000'000},
           {"average_states",
            false,
            "average the optimizer's states with the weights, instead of keeping each rank's own",
            0,
            {}},
           gossip_setting()},
          read_weights,
          require_weights,
          require_weights_effect};
}

}  // namespace ddlbench::strategies
