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

/// The two backward halves apart: schedules without bubbles and layer tables need them so.
enum class Phase : std::uint8_t { forward, backward_input, backward_weight };

/// What stands in a node's place where the model is evaluated; it makes the first outputs of the node.
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
  NodeId origin = absent;  ///< of a backward node: the forward node that it belongs to
  std::optional<Substitute> evaluation = {};
};

/// A tensor of role statistic, and the tensor of equal type that each micro-batch adds up for it. After a step
/// statistic = (1 − momentum) statistic + momentum · (sum of what was observed) / observations, both counted over all
/// micro-batches and ranks: every strategy has the same. The observations of a micro-batch are dimension 0 of the first
/// input of the node that makes `observed`.
struct Observation {
  TensorId statistic = absent;
  TensorId observed = absent;
  float momentum = 0;
};

/// What is computed for one micro-batch: ops on whole tensors, in an order in which they can run.
/// Knows nothing of ranks. Dimension 0 of inputs, labels and activations is the batch.
struct Graph {
  std::string name;
  std::vector<TensorSpec> tensors;
  std::vector<Node> nodes;
  /// Per tensor its gradient, `absent` where there is none (filled by `differentiate`).
  std::vector<TensorId> gradients;
  std::vector<Observation> observations;

  TensorId add_tensor(TensorSpec spec);
  /// Appends a node; output types are inferred, outputs named NAME or NAME.0, NAME.1, ….
  std::vector<TensorId> add(std::string name, OpPtr op, std::vector<TensorId> inputs, Phase phase = Phase::forward,
                            NodeId origin = absent);

  std::vector<TensorType> types_of(const std::vector<TensorId>& ids) const;
  std::int64_t batch() const;  ///< dimension 0 of the first input
  std::vector<TensorId> with_role(Role role) const;
  std::int64_t parameter_elements() const;
};

/// The same graph for another batch: every shape is inferred anew.
Graph with_batch(const Graph& forward, std::int64_t batch);

/// The model as it is evaluated: nodes replaced by their substitutes, and those left out that no metric depends on.
/// Tensors keep their numbers.
struct Evaluation {
  Graph graph;
  std::vector<NodeId> origin;  ///< per node: its number in the model
};
Evaluation for_evaluation(const Graph& forward);

/// The model with parameters and activations of `dtype`, 16 bits wide (mixed precision, Micikevicius et al. 2018):
/// inputs that are no integers are cast first. Statistics, sums and metrics stay f32, and so does all accumulation. The
/// optimizer keeps f32 masters of the parameters (Optimizer).
Graph in_precision(const Graph& forward, DType dtype);

/// The model as a device wants it that computes convolutions on channels in blocks of `block`: their outputs, and all
/// that is made of them by ops that take them so, lie in such blocks, where these divide each of `parts` parts of the
/// channels; other ops are given row-major tensors. With a block of 1 the model as it is. With all_channels filters of
/// more than one place lie with their channels last, too ([K, R, S, C / groups]), and a model whose channels are parted
/// stays row-major: the next convolution wants them whole, and the blocks of all parts, gathered, are not one of all.
Graph in_channel_blocks(const Graph& forward, std::int64_t block, int parts = 1);

/// How the two backward halves of a node are made: by one op where that saves work, or by two in any case, for
/// schedules that run them at different times.
enum class Halves : std::uint8_t { together, apart };

/// The forward graph followed by the ops of its derivative with respect to every parameter. The loss
/// is the first metric. A tensor used more than once gets the sum of its gradients. A node whose op makes its gradients
/// beside its outputs (HeadLoss) stands at its place as a backward node that is its own origin.
Graph differentiate(const Graph& forward, Halves halves = Halves::together);

/// The nodes of the model, which come first in a differentiated graph.
std::size_t model_nodes(const Graph& training);

/// `forward` with node `node` written as its core followed by its epilogue (Op::split_epilogue).
Graph split_epilogue(const Graph& forward, NodeId node);

/// What an op sees when it is differentiated.
class Differentiation {
 public:
  /// `wanted[t]`: tensor t depends on a parameter.
  Differentiation(Graph& graph, NodeId node, std::span<const TensorId> output_gradients,
                  const std::vector<bool>& wanted, Halves halves = Halves::together);

  TensorId input(int index) const;
  TensorId output(int index) const;
  const TensorType& input_type(int index) const;
  TensorId output_gradient(int index) const;  ///< `absent` where nothing flows back
  bool needs_gradient(int index) const;       ///< false for what depends on no parameter
  Halves halves() const { return halves_; }

  /// The activation that input 0 of a node that selects has gone through, where this node alone reads it: its
  /// derivative is taken of what was selected, and the rest of the input is not kept. Else none.
  Activation selected_activation() const;
  /// Whether output 0 is such an input: its gradient is from before the activation.
  bool is_selected() const;

  /// Appends a backward op of this node.
  std::vector<TensorId> emit(const std::string& suffix, OpPtr op, std::vector<TensorId> inputs, Phase phase);
  /// Puts a backward op into this node's place, which nothing of the forward pass may follow: from the same inputs it
  /// makes the node's outputs, and behind them what is returned.
  std::vector<TensorId> replace(OpPtr op);
  void set_gradient(int input_index, TensorId gradient);
  /// Appends the op that makes the gradient of an input, where one is wanted.
  void backward_input(OpPtr op, std::vector<TensorId> inputs, int input_index = 0);
  /// Appends the op whose outputs are the gradients of the inputs from `first` on.
  void backward_weight(OpPtr op, std::vector<TensorId> inputs, int first = 1);

  const std::vector<TensorId>& input_gradients() const { return input_gradients_; }

 private:
  Graph& graph_;
  NodeId node_;
  const std::vector<bool>& wanted_;
  Halves halves_;
  std::vector<TensorId> output_gradients_;
  std::vector<TensorId> input_gradients_;
};

}  // namespace ddlbench::graph
