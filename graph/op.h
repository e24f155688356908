#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/placement.h"
#include "graph/tensor.h"

namespace ddlbench::graph {

class Differentiation;
enum class Activation : std::uint8_t;

using Types = std::span<const TensorType>;

/// An input of an op that has i32 numbers of classes (labels, −1 being none) or of rows (tokens), in [0, limit).
struct Indices {
  int input = 0;
  std::int64_t limit = 0;
  bool labels = false;
};

/// What is computed: a struct of attributes without state, valid on any device.
///
/// Attributes never hold a size that sharding or micro-batching changes, except where shape inference
/// of the whole tensor needs it; kernels take sizes from the types they are bound to.
class Op {
 public:
  virtual ~Op() = default;

  /// "conv2d", "conv2d_backward_input", …: the name by which devices find their kernel.
  virtual std::string_view kind() const = 0;

  /// The attributes in words, "stride=1 padding=0 activation=relu"; part of the key of cost tables.
  virtual std::string attributes() const { return {}; }

  /// Types of the outputs for whole (unsharded) inputs. Throws InputError naming both shapes.
  virtual std::vector<TensorType> infer(Types inputs) const = 0;

  /// Floating-point operations (a multiply-add is two) for local inputs and outputs: flops_per_element(), unless an op
  /// counts otherwise.
  virtual double flops(Types inputs, Types outputs) const;

  /// For each element of the first input; 0 where data is moved alone.
  virtual double flops_per_element() const { return 0; }

  /// The placements it runs on, on one axis, without communication; the all-replicated one is implied.
  virtual std::vector<Signature> signatures(Types /*inputs*/) const { return {}; }

  /// Emits the ops that compute the gradients of its inputs. The default throws ContractError.
  virtual void differentiate(Differentiation& d) const;

  /// The activation of its first output, whose derivative is then taken by activation_gradient (ops/layer.h).
  virtual Activation last_activation() const;
  /// Whether each element of its first output is one of its first input, to which alone its gradient goes. Its
  /// derivative takes that gradient by selected_gradient (ops/layer.h).
  virtual bool selects() const { return false; }

  /// Whether it reads of this input only as many elements as its first output has: rows that another input names.
  virtual bool looks_up(int /*input*/) const { return false; }

  /// The input that has to be looked at before a device gets it whose kernels cannot throw.
  virtual std::optional<Indices> indices(Types /*inputs*/) const { return {}; }

  /// Whether its kernels can add to some outputs and write the others in one launch.
  virtual bool adds_to_some() const { return false; }

  /// The output is the input's bytes under another shape: no instruction, no memory.
  virtual bool is_view() const { return false; }

  /// Whether it runs on tensors with channel blocks (TensorType): activations that it is given are then all alike.
  virtual bool takes_channel_blocks() const { return false; }

  /// The op that makes part `box` (an extent per dimension) of its first output, whose whole is `shape`; null where
  /// the same op does. For ops that must know which part of the whole they make: of a mask, of groups. Dimension 0
  /// counts from the beginning of the micro-batch, and differs between ranks that run one program: it must not matter.
  virtual std::shared_ptr<const Op> at(std::span<const Extent> /*box*/, const Shape& /*shape*/) const { return {}; }

  /// {core, epilogue} of (data, weight[, bias]) where a fused bias or activation can stand alone, else {}: a layer
  /// that is split by rows has them after the reduction. The epilogue takes {core output[, bias]}.
  virtual std::vector<std::shared_ptr<const Op>> split_epilogue() const { return {}; }
};

using OpPtr = std::shared_ptr<const Op>;

/// Any dimension may be split of an op that makes each element of one of each of its inputs, which have one shape.
std::vector<Signature> elementwise_signatures(Types inputs);

/// An elementwise op on inputs of one type, which its output has, too.
struct Elementwise : Op {
  std::vector<TensorType> infer(Types inputs) const override;
  std::vector<Signature> signatures(Types inputs) const override { return elementwise_signatures(inputs); }
};

/// An op, and to which of its outputs it adds what it computes instead of writing it: with `accumulate` (weight
/// gradients over micro-batches) to all but those in `written`, of ops that tell them apart (Op::adds_to_some).
struct Computation {
  OpPtr op;
  bool accumulate = false;
  std::vector<int> written = {};

  bool adds_to(int output) const {
    return accumulate && std::find(written.begin(), written.end(), output) == written.end();
  }
};

}  // namespace ddlbench::graph
