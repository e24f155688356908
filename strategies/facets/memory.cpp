#include <fmt/core.h>
#include <algorithm>

#include "base/error.h"
#include "base/join.h"
#include "strategies/facets/list.h"

namespace ddlbench::strategies {
namespace {

Option recompute_setting() {
  Option option{
      "recompute", Strings{},
      "kinds of op whose results the forward pass drops and the backward pass recomputes; full, as the only entry: "
      "keep only the inputs of each pipeline stage, or, without a pipeline, of some segments of the model"};
  option.choices = {"full",
                    "bias_activation",
                    "add",
                    "add_positions",
                    "attention",
                    "batch_norm",
                    "cast",
                    "conv2d",
                    "dropout",
                    "gelu",
                    "layer_norm",
                    "linear",
                    "normalise",
                    "max_pool2d",
                    "average_pool2d",
                    "adaptive_average_pool2d"};
  return option;
}

bool names(const std::vector<std::string>& kinds, std::string_view kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

Option recompute_stages_setting() {
  return {"recompute_stages", Integers{},
          "pipeline stages of the model, from 0, in which results are recomputed; empty: all"};
}

void read_memory(const OptionValues& values, StrategySpec& spec) {
  spec.memory.stages = value_of<Integers>(values, "recompute_stages");
  const auto& kinds = value_of<Strings>(values, "recompute");
  if (kinds.empty()) return;
  if (kinds == Strings{"full"}) {
    spec.memory.kind = Recomputation::Kind::full;
    return;
  }
  const Strings known = recompute_setting().choices;
  for (const std::string& kind : kinds) {
    if (kind == "full") throw InputError("recompute: full excludes all other values; found " + joined(kinds));
    if (!names(known, kind))
      throw InputError(fmt::format("recompute: unknown kind of op '{}'; available: {}", kind, joined(known)));
  }
  spec.memory.kind = Recomputation::Kind::selective;
  spec.memory.ops = kinds;
  // On GPUs the input may be bytes: the model then begins with normalise instead of a cast.
  if (names(kinds, "cast") && !names(kinds, "normalise")) spec.memory.ops.push_back("normalise");
}

/// Returns whether an op of the backward pass, or another recomputed op, reads a result of an op of `kind`, directly or
/// through a view. Otherwise dropping the result saves nothing and recomputes nothing.
bool is_read_again(const graph::Graph& training, const std::string& kind, const std::vector<std::string>& repeated) {
  std::vector<bool> read(training.tensors.size(), false);
  const auto is_read = [&read](graph::TensorId id) { return read[static_cast<std::size_t>(id)]; };
  for (auto node = training.nodes.rbegin(); node != training.nodes.rend(); ++node) {
    const bool is_forward = node->phase == graph::Phase::forward;
    const bool used = std::any_of(node->outputs.begin(), node->outputs.end(), is_read);
    if (is_forward && used && node->op->kind() == kind) return true;
    const bool passes_on = node->op->is_view() || names(repeated, node->op->kind());
    if (is_forward && !(used && passes_on)) continue;
    for (const graph::TensorId input : node->inputs) read[static_cast<std::size_t>(input)] = true;
  }
  return false;
}

/// Throws Unsupported for stages that the pipeline does not have.
void require_memory(const Task&, const StrategySpec& spec) {
  const int stages = spec.timing().stages_of_copy();
  for (const std::int64_t stage : spec.memory.stages)
    if (stage >= stages)
      throw Unsupported(
          fmt::format("recompute_stages has stage {}, but the pipeline has {} stages, counted from 0; "
                      "name other stages, or use more",
                      stage, stages));
}

/// Throws Unsupported unless every op to recompute exists, in the model or as the bias that a row-split linear layer
/// leaves behind, and makes a result that backward reads.
void require_memory_effect(const Task& task, const StrategySpec& spec, const OptionValues& values) {
  if (!spec.memory.stages.empty() && spec.memory.kind == Recomputation::Kind::none)
    throw Unsupported("recompute_stages has no effect without recompute; leave it out, or add recompute");
  if (!spec.memory.stages.empty() && !has_axis(values, Use::stages))
    throw Unsupported(
        "recompute_stages has no effect where the mesh has no pipeline axis; leave it out, or add the axis");
  if (spec.memory.ops.empty()) return;
  const graph::Graph& model = task.model;
  const graph::Graph training = graph::differentiate(model);
  const auto has = [&model](const std::string& kind) {
    return std::any_of(model.nodes.begin(), model.nodes.end(),
                       [&kind](const graph::Node& node) { return node.op->kind() == kind; });
  };
  const bool converts = names(spec.memory.ops, "cast") && (has("cast") || has("normalise"));
  for (const std::string& kind : spec.memory.ops) {
    if (has(kind)) {
      if (is_read_again(training, kind, spec.memory.ops)) continue;
      throw Unsupported(
          fmt::format("recompute has '{}', but the backward pass of model {} reads none of its results, so it has no "
                      "effect; leave it out",
                      kind, model.name));
    }
    if (kind == "bias_activation" && spec.mesh.features > 1) continue;
    if (converts && (kind == "cast" || kind == "normalise")) continue;
    throw Unsupported(
        fmt::format("recompute has '{}', an op that the model {} does not have; leave it out", kind, model.name));
  }
}

}  // namespace

Facet memory_facet() {
  return {
      "memory", {recompute_setting(), recompute_stages_setting()}, read_memory, require_memory, require_memory_effect};
}

}  // namespace ddlbench::strategies
