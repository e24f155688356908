#include <fmt/core.h>

#include "graph/ops/batch_norm.h"
#include "strategies/facets/list.h"

namespace ddlbench::strategies {
namespace {

std::int64_t mebibytes_of(const OptionValues& values, const char* setting) {
  return static_cast<std::int64_t>(value_of<double>(values, setting) * 1024 * 1024);
}

constexpr const char* unchanged = "gradient";

Option wire_setting() {
  Option option{"wire",
                unchanged,
                "type in which ranks send each other gradients (f32 between nodes); sums are in f32; `gradient`: "
                "their own type",
                0,
                {}};
  option.choices = {unchanged, "bf16", "fp16"};
  return option;
}

std::optional<graph::DType> wire_type(const std::string& name) {
  if (name == "bf16") return graph::DType::bf16;
  if (name == "fp16") return graph::DType::f16;
  return std::nullopt;
}

constexpr const char* no_codec = "none";

Option codec_setting() {
  Option option{"codec", Nested{{no_codec, {}}}, "how gradients are compressed; `none`: not at all", 0, {}};
  option.kinds.push_back({no_codec, "gradients are sent as they are", {}});
  for (const graph::CodecKind& kind : graph::codec_kinds())
    option.kinds.push_back({kind.name, kind.help, kind.options});
  return option;
}

/// Whether what a codec loses is added to the next gradient.
Option feedback_setting() {
  Option option{"error_feedback",
                "published",
                "add what the codec loses to the next gradient; `published`: if the codec's paper does so",
                0,
                {}};
  option.choices = {"published", "yes", "no"};
  return option;
}

Option momentum_setting() {
  return {"momentum_correction",
          0.0,
          "momentum of the velocity that each rank compresses instead of its gradient, for an optimizer without "
          "momentum; 0: none",
          0,
          {},
          0.999};
}

Option warm_up_setting() {
  return {"warm_up_steps",
          std::int64_t{0},
          "first steps, in which a codec with a density sends more: a quarter of the elements, then a sixteenth, and "
          "so on",
          0,
          {},
          1'000'000'000};
}

/// PyTorch's name.
constexpr const char* rank_setting = "matrix_approximation_rank";

Option approximation_setting() {
  return {rank_setting,
          std::int64_t{0},
          "columns of the factors by which gradients of matrices are approximated (PowerSGD); 0: they are not",
          0,
          {},
          1 << 16};
}

void read_codec(const OptionValues& values, SyncSpec& sync) {
  const Choice& choice = value_of<Nested>(values, "codec").front();
  if (choice.kind == no_codec) return;
  sync.codec = graph::make_codec(choice);
  const std::string& feedback = value_of<std::string>(values, "error_feedback");
  sync.feedback = feedback == "published" ? sync.codec->kind->error_feedback : feedback == "yes";
  sync.momentum_correction = value_of<double>(values, "momentum_correction");
  sync.warm_up_steps = value_of<std::int64_t>(values, "warm_up_steps");
}

constexpr const char* cycle_setting = "cycle_milliseconds";

/// Horovod's HOROVOD_CYCLE_TIME.
Option cycles_setting() {
  return {
      cycle_setting,
      0.0,
      "time between two negotiations of which gradients are ready on all ranks; 0: the order is fixed, and nothing is "
      "negotiated",
      0,
      {},
      1e6};
}

constexpr const char *slice_setting = "slice_mebibytes", *link_setting = "link_gigabits";

Option priority_setting() {
  return {"priority",
          false,
          "reduce gradients in slices, beginning with those whose parameters the next step reads first, and continue "
          "while that step computes",
          0,
          {}};
}

/// P3's slices of 50,000 parameters.
Option slices_setting() {
  return {slice_setting, 0.2, "largest part of a gradient that one collective reduces, with priority", 0.001, {}, 1024};
}

Option links_setting() {
  return {link_setting,
          10.0,
          "rate of a rank's link in Gbit/s, for the order of reductions with priority, and for balance "
          "time_and_communication",
          0.001,
          {},
          1e5};
}

void read_sync(const OptionValues& values, StrategySpec& spec) {
  spec.sync.priority = value_of<bool>(values, "priority");
  spec.sync.slice_bytes = mebibytes_of(values, slice_setting);
  spec.sync.link_bytes_per_second = value_of<double>(values, link_setting) * 1e9 / 8;
  spec.sync.overlap = value_of<bool>(values, "overlap");
  spec.sync.hierarchical = value_of<bool>(values, "hierarchical");
  spec.sync.wire = wire_type(value_of<std::string>(values, "wire"));
  read_codec(values, spec.sync);
  spec.sync.approximation_rank = static_cast<int>(value_of<std::int64_t>(values, rank_setting));
  spec.sync.bucket_per_layer = value_of<bool>(values, "bucket_per_layer");
  spec.sync.buckets.bytes = mebibytes_of(values, "bucket_mebibytes");
  spec.sync.buckets.first_bytes = mebibytes_of(values, "first_bucket_mebibytes");
  spec.sync.cycle_milliseconds = value_of<double>(values, cycle_setting);
  if (spec.sync.cycle_milliseconds == 0) return;
  spec.sync.buckets.is_buffer = true;
  spec.sync.buckets.first_bytes = spec.sync.buckets.bytes;
}

/// Throws Unsupported where gradients would be changed on their way by several settings.
void require_one_change(const SyncSpec& sync) {
  if (sync.wire && sync.codec) throw Unsupported("a codec decides what is on the wire; leave out wire, or codec");
  if (sync.approximation_rank > 0 && (sync.wire || sync.codec))
    throw Unsupported(
        fmt::format("{} decides what is on the wire; leave out wire and codec, or {}", rank_setting, rank_setting));
}

/// The velocity of a rank begins again at 0 where all of it was sent, which the residual shows.
void require_momentum(const Task& task, const StrategySpec& spec) {
  const SyncSpec& sync = spec.sync;
  if (sync.warm_up_steps > 0 && sync.codec->options.count("density") == 0)
    throw Unsupported(
        fmt::format("warm_up_steps needs a codec with a density, and {} has none; leave it out, or use "
                    "top_k or sparse_binary",
                    sync.codec->kind->name));
  if (sync.momentum_correction == 0) return;
  if (!sync.codec->kind->selects || !sync.feedback)
    throw Unsupported(
        "momentum_correction needs a codec that sends some elements exactly, with error feedback; use top_k");
  if (!task.optimizer.states.empty())
    throw Unsupported(
        "momentum_correction needs an optimizer without states, because it has the momentum; use sgd with momentum 0");
  for (const graph::TensorId parameter : task.model.with_role(graph::Role::parameter))
    if (task.model.tensors[static_cast<std::size_t>(parameter)].type.dtype != graph::DType::f32)
      throw Unsupported("momentum_correction needs gradients in f32; use precision fp32");
}

/// What compresses whole gradients, and keeps what it loses.
void require_compression(const Task& task, const StrategySpec& spec) {
  const bool approximates = spec.sync.approximation_rank > 0;
  if (spec.state.states() || spec.sync.hierarchical)
    throw Unsupported(fmt::format("{} whole gradients; leave out zero and hierarchical",
                                  approximates ? "PowerSGD approximates" : "a codec compresses"));
  if (spec.sync.codec) require_momentum(task, spec);
  if (!task.optimizer.guard.skip_overflow) return;
  if (approximates) throw Unsupported("PowerSGD needs gradients without a loss scale; use another precision than fp16");
  if (spec.sync.feedback)
    throw Unsupported(
        "error_feedback needs gradients without a loss scale; use another precision than fp16, or "
        "\"error_feedback\": \"no\"");
}

/// Which gradients are ready is the same on all ranks, and a bucket is what became ready in a cycle.
void require_cycles(const StrategySpec& spec) {
  const std::string needs = std::string(cycle_setting) + " needs ";
  if (spec.mesh.stages > 1 || spec.mesh.features > 1)
    throw Unsupported(needs + "a mesh whose axes all split the batch; leave it out, or the other axes");
  if (spec.state.states()) throw Unsupported(needs + "whole gradients on every rank; leave it out, or zero");
  if (!spec.state.keeps_gradients)
    throw Unsupported(needs + "memory for all gradients; leave it out, or update_in_backward");
  if (spec.weights.own()) throw Unsupported(needs + "ranks that sum gradients; leave it out, or averaging and gossip");
  if (!spec.sync.overlap)
    throw Unsupported(needs + "reductions during the backward pass; leave it out, or \"overlap\": false");
  if (spec.sync.bucket_per_layer)
    throw Unsupported(needs + "buckets of what became ready in a cycle; leave it out, or bucket_per_layer");
}

/// The order of priority is that of whole gradients, and an update does not wait for all of them.
void require_priority(const Task& task, const StrategySpec& spec) {
  const SyncSpec& sync = spec.sync;
  const std::string needs = "priority needs ";
  if (spec.mesh.stages > 1 || spec.mesh.features > 1)
    throw Unsupported(needs + "a mesh whose axes all split the batch; leave it out, or the other axes");
  if (spec.state.states() || sync.hierarchical)
    throw Unsupported(needs + "one all-reduce for each gradient; leave it out, or zero and hierarchical");
  if (!spec.state.keeps_gradients)
    throw Unsupported(needs + "memory for all gradients; leave it out, or update_in_backward");
  if (spec.weights.own()) throw Unsupported(needs + "ranks that sum gradients; leave it out, or averaging and gossip");
  if (!sync.overlap) throw Unsupported(needs + "reductions while ranks compute; leave it out, or \"overlap\": false");
  if (sync.wire || sync.codec || sync.approximation_rank > 0)
    throw Unsupported(needs + "one all-reduce for each gradient; leave it out, or wire, codec and " + rank_setting);
  if (sync.cycle_milliseconds > 0)
    throw Unsupported(needs + "an order that is not negotiated; leave it out, or " + cycle_setting);
  if (task.optimizer.guard.skip_overflow)
    throw Unsupported(needs + "gradients without a loss scale; use another precision than fp16");
  if (task.optimizer.guard.any())
    throw Unsupported(needs + "updates that do not depend on other gradients; leave out clip_norm");
  if (task.optimizer.needs_norms())
    throw Unsupported(needs + "an optimizer that updates elements one by one; use another one than lars and lamb");
}

/// The rule of a strategy that changes gradients on their way is about the gradients of ranks, each of its own samples.
void require_sync(const Task& task, const StrategySpec& spec) {
  const SyncSpec& sync = spec.sync;
  if (sync.cycle_milliseconds > 0) require_cycles(spec);
  if (sync.priority && spec.mesh.data_ranks() > 1) require_priority(task, spec);
  const bool compresses = sync.codec || sync.approximation_rank > 0;
  if ((!sync.wire && !compresses) || spec.mesh.data_ranks() == 1) return;
  require_one_change(sync);
  const std::string setting = sync.codec ? "codec" : sync.wire ? "wire" : rank_setting;
  if (spec.mesh.stages > 1 || spec.mesh.features > 1)
    throw Unsupported(setting + " needs a mesh whose axes all split the batch; leave it out, or the other axes");
  if (graph::normalises_whole_batch(task.model))
    throw Unsupported(setting +
                      " needs gradients that depend on the samples of one rank only; use a model with "
                      "samples_per_statistic");
  if (!spec.state.keeps_gradients)
    throw Unsupported(setting + " needs memory for all gradients; leave out update_in_backward");
  if (sync.wire && spec.mesh.batch == 1)
    throw Unsupported("wire needs several ranks on the data axis; raise node_ranks or the axis, or leave wire out");
  for (const graph::TensorId parameter : task.model.with_role(graph::Role::parameter)) {
    const graph::DType gradients = task.model.tensors[static_cast<std::size_t>(parameter)].type.dtype;
    if (sync.wire && gradients != graph::DType::f32 && gradients != *sync.wire)
      throw Unsupported(fmt::format("the gradients have 16 bits already ({}); leave out wire", graph::name(gradients)));
  }
  if (compresses) require_compression(task, spec);
}

void require_hierarchy(const StrategySpec& spec, const OptionValues& values) {
  if (!is_set(values, "hierarchical")) return;
  const auto nodes = values.find("node_ranks");
  if (!has_axis(values, Use::replicas) && (nodes == values.end() || nodes->second == OptionValue(std::int64_t{0})))
    throw Unsupported("hierarchical has no effect without nodes; add a replica axis to the mesh, or node_ranks");
  if (spec.state.stage > 0)
    throw Unsupported(
        fmt::format("hierarchical has no effect with ZeRO stage {}, which always reduces within a node first; leave it "
                    "out",
                    spec.state.stage));
}

/// Throws Unsupported for overlap where no gradient is reduced, or where each is scattered as soon as its bucket is
/// complete, and for a hierarchical reduction without nodes.
void require_sync_effect(const Task&, const StrategySpec& spec, const OptionValues& values) {
  require_hierarchy(spec, values);
  for (const char* setting : {"error_feedback", "momentum_correction", "warm_up_steps"})
    if (is_set(values, setting) && !spec.sync.codec)
      throw Unsupported(fmt::format("{} has no effect without a codec; leave it out, or add one", setting));
  if (spec.sync.cycle_milliseconds > 0 && is_set(values, "first_bucket_mebibytes"))
    throw Unsupported(
        "first_bucket_mebibytes has no effect with cycle_milliseconds, where all buckets have one size; leave it out");
  if (is_set(values, slice_setting) && !spec.sync.priority)
    throw Unsupported(fmt::format("{} has no effect without priority; leave it out, or add priority", slice_setting));
  if (is_set(values, link_setting) && !spec.sync.priority && spec.pipeline.balance != Balance::time_and_communication)
    throw Unsupported(fmt::format(
        "{} has no effect without priority or balance time_and_communication; leave it out, or add one", link_setting));
  for (const char* setting : {"overlap", "wire", "codec", rank_setting, cycle_setting, "priority"}) {
    if (!is_set(values, setting) || has_axis(values, Use::batch) || has_axis(values, Use::replicas)) continue;
    throw Unsupported(
        fmt::format("{} has no effect where the mesh has no data axis; leave it out, or add the axis", setting));
  }
  if (!is_set(values, "overlap")) return;
  if (spec.state.gradients())
    throw Unsupported(
        fmt::format("overlap has no effect with ZeRO stage {}, which scatters gradients as soon as a bucket is "
                    "complete; leave it out, or use stage 0 or 1",
                    spec.state.stage));
}

}  // namespace

Facet sync_facet() {
  return {
      "sync",
      {{"overlap", true, "overlap gradient reduction with the backward pass", 0, {}},
       {"bucket_mebibytes", 25.0, "size of the gradients that one collective reduces", 0.001, {}, 1 << 20},
       {"first_bucket_mebibytes",
        1.0,
        "size of the first bucket; small, so that communication starts early",
        0.001,
        {},
        1 << 20},
       cycles_setting(),
       priority_setting(),
       slices_setting(),
       links_setting(),
       wire_setting(),
       codec_setting(),
       feedback_setting(),
       momentum_setting(),
       warm_up_setting(),
       approximation_setting(),
       {"bucket_per_layer", false, "the gradients of different layers are never reduced by the same collective", 0, {}},
       {"hierarchical",
        false,
        "reduce-scatter gradients within a node, all-reduce the parts between nodes, gather them within the node",
        0,
        {}}},
      read_sync,
      require_sync,
      require_sync_effect};
}

}  // namespace ddlbench::strategies
