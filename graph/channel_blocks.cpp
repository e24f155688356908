#include <map>
#include <numeric>
#include <set>
#include <string>

#include "base/error.h"
#include "graph/ops/conv2d.h"
#include "graph/ops/reorder.h"
#include "graph/rewrite.h"

namespace ddlbench::graph {
namespace {

/// The number of 16-bit channels in a vector of 16 bytes. The input of a convolution is not reordered if its number of
/// channels is not a multiple of this (such as the 3 channels of images): such a convolution also supports row-major
/// input.
constexpr std::int64_t vector_channels = 8;

/// Adds the nodes of a model to a new graph one by one, and inserts reorder nodes before them where inputs have another
/// layout.
class ChannelBlockRewriter {
 public:
  ChannelBlockRewriter(const Graph& forward, std::int64_t block, int parts)
      : forward_(forward), block_(block), parts_(parts) {}

  std::vector<TensorId> add(Graph& to, NodeId id, std::vector<TensorId> inputs) {
    const Node& node = forward_.nodes[static_cast<std::size_t>(id)];
    OpPtr op = node.op;
    if (const auto* convolution = dynamic_cast<const Conv2d*>(op.get())) {
      op = blocked(*convolution, type_of(to, inputs[1]).shape[0]);
      const std::int64_t channels = type_of(to, inputs[0]).shape[1];
      if (block_ == all_channels && channels % vector_channels == 0) inputs[0] = in_block(to, inputs[0], channels);
    } else {
      const bool in_blocks = op->takes_channel_blocks() && some_in_blocks(to, inputs);
      for (TensorId& input : inputs)
        if (has_image(to, input)) input = in_block(to, input, in_blocks ? block_of(type_of(to, input).shape[1]) : 1);
    }
    return to.add(node.name, std::move(op), std::move(inputs), node.phase, node.origin);
  }

  /// Returns the reordered copy of `tensor` if it is an input of `node`, else `tensor` itself.
  TensorId input_of(const Node& node, TensorId tensor) const {
    for (const auto& [key, reordered] : reordered_) {
      if (key.first != tensor) continue;
      for (const TensorId input : node.inputs)
        if (input == reordered) return reordered;
    }
    return tensor;
  }

 private:
  static const TensorType& type_of(const Graph& graph, TensorId tensor) {
    return graph.tensors[static_cast<std::size_t>(tensor)].type;
  }

  /// Whether the tensor can have channel blocks: it has shape [N, C, H, W] and is not a parameter.
  static bool has_image(const Graph& graph, TensorId tensor) {
    const TensorSpec& spec = graph.tensors[static_cast<std::size_t>(tensor)];
    return spec.role != Role::parameter && spec.type.shape.size() == 4;
  }

  std::int64_t block_of(std::int64_t channels) const { return block_ == all_channels ? channels : block_; }

  /// Whether every part of the channels consists of whole blocks. If there are at least as many groups as parts, a part
  /// also consists of whole groups.
  bool divides(std::int64_t channels, std::int64_t groups) const {
    if (groups == 1 || groups < parts_) return channels % (block_ * parts_) == 0;
    const std::int64_t unit = std::lcm(block_, channels / groups);
    return channels % unit == 0 && channels / unit >= parts_;
  }

  OpPtr blocked(const Conv2d& convolution, std::int64_t channels) const {
    const bool in_blocks = block_ == all_channels || divides(channels, convolution.geometry.groups);
    return std::make_shared<Conv2d>(convolution.geometry, convolution.bias, convolution.activation,
                                    in_blocks ? block_of(channels) : 1);
  }

  static bool some_in_blocks(const Graph& to, const std::vector<TensorId>& inputs) {
    for (const TensorId input : inputs)
      if (has_image(to, input) && type_of(to, input).channel_block != 1) return true;
    return false;
  }

  TensorId in_block(Graph& to, TensorId tensor, std::int64_t block) {
    if (type_of(to, tensor).channel_block == block) return tensor;
    const auto [place, is_new] = reordered_.try_emplace({tensor, block}, absent);
    if (is_new) {
      const std::string name = to.tensors[static_cast<std::size_t>(tensor)].name;
      place->second =
          to.add(name + (block == 1 ? ".row_major" : ".blocked"), std::make_shared<Reorder>(block), {tensor}).front();
    }
    return place->second;
  }

  const Graph& forward_;
  std::int64_t block_;
  int parts_;
  std::map<std::pair<TensorId, std::int64_t>, TensorId> reordered_;
};

/// Returns the names of the weights of all convolutions.
std::set<std::string> filters_of(const Graph& forward) {
  std::set<std::string> names;
  for (const Node& node : forward.nodes)
    if (dynamic_cast<const Conv2d*>(node.op.get()) != nullptr)
      names.insert(forward.tensors[static_cast<std::size_t>(node.inputs[1])].name);
  return names;
}

}  // namespace

Graph in_channel_blocks(const Graph& forward, std::int64_t block, int parts) {
  require((block >= 1 || block == all_channels) && parts >= 1, "in_channel_blocks: invalid block or parts");
  if (block == 1 || (block == all_channels && parts > 1)) return forward;
  const std::set<std::string> filters = block == all_channels ? filters_of(forward) : std::set<std::string>{};
  ChannelBlockRewriter rewriter(forward, block, parts);
  Graph to = rebuild(
      forward,
      [&filters](TensorSpec& spec) {
        if (filters.count(spec.name) == 0) return;
        const Shape& shape = spec.type.shape;
        if (shape[2] * shape[3] > 1) spec.type.channel_block = shape[1];
      },
      [&](Graph& graph, NodeId id, std::vector<TensorId> inputs) {
        return rewriter.add(graph, id, std::move(inputs));
      });
  for (Node& node : to.nodes)
    if (node.evaluation)
      for (TensorId& input : node.evaluation->inputs) input = rewriter.input_of(node, input);
  return to;
}

}  // namespace ddlbench::graph
