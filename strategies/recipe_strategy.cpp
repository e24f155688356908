#include "strategies/recipe_strategy.h"

#include <algorithm>

#include "graph/error.h"

namespace ddlbench::strategies {

namespace {

/// Whether a result of one of these ops is read, itself or through a view, by an op of the backward pass or by another
/// that is run again: else to drop it saves nothing, and nothing is run again.
bool is_read_again(const graph::Graph& training, const std::string& kind, const std::vector<std::string>& repeated) {
  std::vector<bool> read(training.tensors.size(), false);
  const auto is_read = [&read](graph::TensorId id) { return read[static_cast<std::size_t>(id)]; };
  for (auto node = training.nodes.rbegin(); node != training.nodes.rend(); ++node) {
    const bool is_forward = node->phase == graph::Phase::forward;
    const bool used = std::any_of(node->outputs.begin(), node->outputs.end(), is_read);
    if (is_forward && used && node->op->kind() == kind) return true;
    const bool passes_on =
        node->op->is_view() || std::find(repeated.begin(), repeated.end(), node->op->kind()) != repeated.end();
    if (is_forward && !(used && passes_on)) continue;
    for (const graph::TensorId input : node->inputs) read[static_cast<std::size_t>(input)] = true;
  }
  return false;
}

/// An op that is run again must be there, in the model or where a linear layer that is split leaves its bias behind,
/// and must make something that backward reads.
void require_repeated_ops(const graph::Graph& model, const Recipe& recipe) {
  if (recipe.recomputation.ops.empty()) return;
  const graph::Graph training = graph::differentiate(model, recipe.halves);
  for (const std::string& kind : recipe.recomputation.ops) {
    const auto is_kind = [&kind](const graph::Node& node) { return node.op->kind() == kind; };
    if (std::any_of(model.nodes.begin(), model.nodes.end(), is_kind)) {
      if (is_read_again(training, kind, recipe.recomputation.ops)) continue;
      throw Unsupported("recompute names '" + kind + "', of which the backward pass of model " + model.name +
                        " reads no result: it would change nothing; leave it out");
    }
    if (kind == "bias_activation" && recipe.tensor > 1) continue;
    throw Unsupported("recompute names '" + kind + "', an op that the model " + model.name +
                      " does not have; leave it out");
  }
}

class RecipeStrategy final : public Strategy {
 public:
  explicit RecipeStrategy(std::function<Recipe(int)> recipe) : recipe_(std::move(recipe)) {}
  program::Plan compile(const Task& task) const override {
    const Recipe recipe = recipe_(task.ranks);
    require_repeated_ops(task.model, recipe);
    return strategies::compile(task, recipe);
  }

 private:
  std::function<Recipe(int)> recipe_;
};

std::int64_t bytes_of_mebibytes(double mebibytes) {
  return static_cast<std::int64_t>(mebibytes * 1024 * 1024);
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

std::unique_ptr<Strategy> make_recipe_strategy(std::function<Recipe(int)> recipe) {
  return std::make_unique<RecipeStrategy>(std::move(recipe));
}

graph::Option microbatches_option(std::int64_t default_value) {
  return {"microbatches", default_value, "parts that a batch is processed in, gradients added up", 1, {}, 1 << 24};
}

graph::Option chunks_option() {
  return {"chunks", std::int64_t{2}, "chunks of the model on each rank, of an interleaved schedule", 1, {}, 1 << 10};
}

int chunks(const graph::OptionValues& options) {
  return static_cast<int>(graph::value_of<std::int64_t>(options, "chunks"));
}

graph::Option recompute_option() {
  graph::Option option{"recompute", graph::Strings{},
                       "kinds of op whose results forward drops and backward makes again; full, which stands alone: of "
                       "all but a stage's inputs, or without a pipeline but the inputs of some parts of it"};
  option.choices = {"full",          "bias_activation", "add",
                    "add_positions", "attention",       "batch_norm",
                    "cast",          "conv2d",          "dropout",
                    "gelu",          "layer_norm",      "linear",
                    "max_pool2d",    "average_pool2d",  "adaptive_average_pool2d"};
  return option;
}

Recomputation recomputation(const graph::OptionValues& options) {
  const auto& kinds = graph::value_of<graph::Strings>(options, "recompute");
  if (kinds.empty()) return {};
  if (kinds == graph::Strings{"full"}) return {Recomputation::Kind::full, {}};
  const graph::Strings known = recompute_option().choices;
  for (const std::string& kind : kinds) {
    if (kind == "full") throw InputError("recompute: full stands alone, and here with " + listed(kinds));
    if (std::find(known.begin(), known.end(), kind) == known.end())
      throw InputError("recompute: there is no kind of op '" + kind + "' to run again; use some of " + listed(known));
  }
  return {Recomputation::Kind::selective, kinds};
}

graph::Option update_in_backward_option() {
  return {"update_in_backward", false,
          "update weights as soon as their gradients are whole, and keep no gradients: less memory, the same results; "
          "for one micro-batch, and without clip_norm and fp16"};
}

bool updates_in_backward(const graph::OptionValues& options) {
  return graph::value_of<bool>(options, "update_in_backward");
}

std::vector<graph::Option> bucket_options() {
  return {
      {"overlap", true, "reduce gradients while backward goes on", 0, {}},
      {"bucket_mebibytes", 25.0, "gradients that are reduced in one call", 0.001, {}, 1 << 20},
      {"first_bucket_mebibytes", 1.0, "the same of the first call, small so that it begins early", 0.001, {}, 1 << 20}};
}

int microbatches(const graph::OptionValues& options) {
  return static_cast<int>(graph::value_of<std::int64_t>(options, "microbatches"));
}

void set_buckets(Recipe& recipe, const graph::OptionValues& options) {
  recipe.overlap = graph::value_of<bool>(options, "overlap");
  recipe.buckets.bytes = bytes_of_mebibytes(graph::value_of<double>(options, "bucket_mebibytes"));
  recipe.buckets.first_bytes = bytes_of_mebibytes(graph::value_of<double>(options, "first_bucket_mebibytes"));
}

}  // namespace ddlbench::strategies
