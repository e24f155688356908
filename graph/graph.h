#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/op.h"
#include "graph/tensor.h"

namespace ddlbench::graph {

using TensorId = int;
using NodeId = int;
inline constexpr int absent = -1;

/// The phases of a step. The gradients of inputs and of weights are separate phases because zero-bubble schedules and
/// layer tables need them separately. An op that computes both belongs to backward_input.
enum class Phase : std::uint8_t { forward, backward_input, backward_weight };

/// Replaces a node when the model is evaluated. Its outputs are the first outputs of the node.
struct Substitute {
  OpPtr op;
  std::vector<TensorId> inputs;
};

struct Node {
  std::string name;
  OpPtr op;
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  Phase phase = Phase::forward;
  NodeId origin = absent;  ///< the forward node to which a backward node belongs
  std::optional<Substitute> evaluation = {};
};

/// A tensor of role statistic, and the tensor of equal type that each micro-batch adds up for it. After a step,
/// statistic = (1 − momentum) · statistic + momentum · (sum of `observed`) / observations, where the sum and the number
/// of observations include all micro-batches and ranks. So every strategy computes the same statistic. The number of
/// observations of a micro-batch is dimension 0 of the first input of the node that computes `observed`.
struct Observation {
  TensorId statistic = absent;
  TensorId observed = absent;
  float momentum = 0;
};

/// The computation of one micro-batch: ops on whole tensors, in an order in which they can run. A graph does not depend
/// on ranks. Dimension 0 of inputs, labels and activations is the batch.
struct Graph {
  std::string name;
  std::vector<TensorSpec> tensors;
  std::vector<Node> nodes;
  /// The gradient of each tensor, `absent` if it has none. Filled by `differentiate`.
  std::vector<TensorId> gradients;
  std::vector<Observation> observations;

  TensorId add_tensor(TensorSpec spec);
  /// Appends a node and returns its outputs, named NAME or NAME.0, NAME.1, …. Infers their types; throws InputError
  /// with the name of the node if the inputs do not fit the op.
  std::vector<TensorId> add(std::string name, OpPtr op, std::vector<TensorId> inputs, Phase phase = Phase::forward,
                            NodeId origin = absent);

  std::vector<TensorType> types_of(const std::vector<TensorId>& ids) const;
  std::int64_t batch() const;  ///< dimension 0 of the first input; throws ContractError without inputs
  std::vector<TensorId> with_role(Role role) const;
  std::int64_t parameter_elements() const;
};

/// Returns the same graph with another batch size. Infers all shapes again.
Graph with_batch(const Graph& forward, std::int64_t batch);

/// The model for evaluation: nodes are replaced by their substitutes, and nodes on which no metric depends are removed.
/// Tensors keep their numbers.
struct Evaluation {
  Graph graph;
  std::vector<NodeId> origin;  ///< of each node: its number in the model
};
Evaluation for_evaluation(const Graph& forward);

/// Returns the model with parameters and activations of `dtype` (mixed precision, Micikevicius et al. 2018). Inputs of
/// f32 are cast first. Statistics, sums and metrics stay f32, and so does all accumulation. The optimizer keeps f32
/// masters of the parameters (Optimizer). Returns the model unchanged for f32; throws ContractError if `dtype` is not a
/// floating-point type.
Graph in_precision(const Graph& forward, DType dtype);

/// Returns the model for a device that computes convolutions on channels in blocks of `block`. The outputs of
/// convolutions have such blocks if these divide each of `parts` parts of the channels; ops that support blocks keep
/// them, and the inputs of other ops are reordered to row-major. A block of 1 returns the model unchanged. With
/// all_channels, filters larger than 1 × 1 also have their channels last ([K, R, S, C / groups]), and a model whose
/// channels are split (`parts` > 1) stays row-major: the next convolution needs all channels, and the gathered blocks
/// of all parts are not one block of all channels.
Graph in_channel_blocks(const Graph& forward, std::int64_t block, int parts = 1);

/// Returns the forward graph followed by the ops of its derivative with respect to every parameter. The loss is the
/// first metric. A tensor that is used several times gets the sum of its gradients. If an op computes its gradients
/// together with its outputs (LinearCrossEntropy), its node becomes a node of phase backward_input that is its own
/// origin. Throws InputError if a parameter does not influence the loss.
Graph differentiate(const Graph& forward);

/// Returns the number of nodes of the model, which are the first nodes of a differentiated graph.
std::size_t model_nodes(const Graph& training);

/// Returns `forward` with node `node` replaced by its core and its epilogue (Op::split_epilogue). Throws ContractError
/// if it has no epilogue.
Graph split_epilogue(const Graph& forward, NodeId node);

/// The interface with which an op adds its derivative to the graph (Op::differentiate).
class Differentiation {
 public:
  /// `requires_grad[t]`: tensor t depends on a parameter. `graph` and `requires_grad` must outlive this object.
  Differentiation(Graph& graph, NodeId node, std::span<const TensorId> output_gradients,
                  const std::vector<bool>& requires_grad);

  TensorId input(int index) const;
  TensorId output(int index) const;
  const TensorType& input_type(int index) const;
  TensorId output_gradient(int index) const;  ///< `absent` if the loss does not depend on it
  bool needs_gradient(int index) const;       ///< false if the input depends on no parameter

  /// Returns the activation that was applied to input 0, if only this node reads that tensor; otherwise
  /// Activation::none. For ops with Op::selects: they apply the derivative of the activation to the selected elements,
  /// so the other elements of the input need not be kept.
  Activation selected_activation() const;
  /// Whether the op has an activation and the only reader of output 0 is such an op. Then its gradient already is the
  /// gradient before the activation.
  bool is_selected() const;

  /// Appends a backward op of this node, named NODE.`suffix`, and returns its outputs.
  std::vector<TensorId> emit(const std::string& suffix, OpPtr op, std::vector<TensorId> inputs, Phase phase);
  /// Replaces the op of this node by a backward op that computes from the same inputs the outputs of the node, and then
  /// further outputs, which are returned. The node gets phase backward_input, also if it computes gradients of weights.
  /// Throws ContractError if a node of the forward pass reads an output of this node.
  std::vector<TensorId> replace(OpPtr op);
  /// The gradient of an input that needs none is ignored.
  void set_gradient(int input_index, TensorId gradient);
  /// Appends the op that computes the gradient of input `input_index`, if that needs one.
  void backward_input(OpPtr op, std::vector<TensorId> inputs, int input_index = 0);
  /// Appends the op whose outputs are the gradients of the inputs from number `first` on.
  void backward_weight(OpPtr op, std::vector<TensorId> inputs, int first = 1);

  const std::vector<TensorId>& input_gradients() const { return input_gradients_; }

 private:
  Graph& graph_;
  NodeId node_;
  const std::vector<bool>& requires_grad_;
  std::vector<TensorId> output_gradients_;
  std::vector<TensorId> input_gradients_;
};

}  // namespace ddlbench::graph
