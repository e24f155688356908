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

/// An i32 input of an op that contains labels (numbers of classes; −1 is no label) or tokens (numbers of rows), which
/// must be in [0, limit).
struct Indices {
  int input = 0;
  std::int64_t limit = 0;
  bool labels = false;
};

/// A computation: a struct of attributes without state, valid on any device. Attributes contain no size that depends on
/// sharding or micro-batching, unless shape inference of the whole tensor needs it. Kernels take sizes from the types
/// to which they are bound.
class Op {
 public:
  virtual ~Op() = default;

  /// The name under which devices find the kernel: "conv2d", "conv2d_backward_input", ….
  virtual std::string_view kind() const = 0;

  /// Returns the attributes as text, such as "stride=1 padding=0 activation=relu". It is part of the key of cost
  /// tables.
  virtual std::string attributes() const { return {}; }

  /// Returns the types of the outputs for whole (unsharded) inputs. Throws InputError with the shapes if the inputs do
  /// not fit.
  virtual std::vector<TensorType> infer(Types inputs) const = 0;

  /// Returns the number of floating-point operations (a multiply-add is two) for local inputs and outputs. The default
  /// is flops_per_element() for each element of the first input.
  virtual double flops(Types inputs, Types outputs) const;

  /// Returns the FLOPs for each element of the first input; 0 for ops that only copy data.
  virtual double flops_per_element() const { return 0; }

  /// Returns the placements, on one axis, with which the op runs without communication. All replicated is always
  /// possible and not included.
  virtual std::vector<Signature> signatures(Types /*inputs*/) const { return {}; }

  /// Emits the ops that compute the gradients of the inputs. The default throws ContractError.
  virtual void differentiate(Differentiation& d) const;

  /// Returns the activation that the op applies to its first output. Its derivative must then use activation_gradient
  /// (ops/layer.h).
  virtual Activation last_activation() const;
  /// Whether each element of the first output is a copy of one element of the first input, which alone gets its
  /// gradient (such as max pooling). The derivative must then use selected_gradient (ops/layer.h).
  virtual bool selects() const { return false; }

  /// Whether the op reads from this input only as many elements as its first output has: the rows that another input
  /// selects.
  virtual bool gathers_from(int /*input*/) const { return false; }

  /// Returns the input of indices that the host must check before it copies it to a device whose kernels cannot throw;
  /// nullopt if there is none.
  virtual std::optional<Indices> indices(Types /*inputs*/) const { return {}; }

  /// Whether its kernels can accumulate into some outputs and overwrite the others in one launch.
  virtual bool can_accumulate_some() const { return false; }

  /// Whether the output is the bytes of the input with another shape. A view needs no instruction and no memory.
  virtual bool is_view() const { return false; }

  /// Whether the op supports tensors with channel blocks (TensorType). in_channel_blocks gives it all its activations
  /// in the same layout.
  virtual bool takes_channel_blocks() const { return false; }

  /// Returns the op that computes part `box` (an extent for each dimension) of the first output, whose whole shape is
  /// `shape`, or null if this op also computes the part. For ops that must know which part they compute: of a dropout
  /// mask, of groups. Dimension 0 counts from the beginning of the micro-batch and differs between ranks that run the
  /// same program, so the result must not depend on it.
  virtual std::shared_ptr<const Op> at(std::span<const Extent> /*box*/, const Shape& /*shape*/) const { return {}; }

  /// Returns {core, epilogue} of an op with inputs (data, weight[, bias]) if its bias or activation can be a separate
  /// op; otherwise {}. If a layer is split by rows, bias and activation must follow the reduction. The inputs of the
  /// epilogue are {core output[, bias]}.
  virtual std::vector<std::shared_ptr<const Op>> split_epilogue() const { return {}; }
};

using OpPtr = std::shared_ptr<const Op>;

/// Returns the signatures of an op that computes each output element from one element of each input: any dimension may
/// be split. All inputs must have the same shape.
std::vector<Signature> elementwise_signatures(Types inputs);

/// An elementwise op whose inputs and output have the same type. infer() throws ContractError if the inputs differ in
/// type.
struct Elementwise : Op {
  std::vector<TensorType> infer(Types inputs) const override;
  std::vector<Signature> signatures(Types inputs) const override { return elementwise_signatures(inputs); }
};

/// An op, and the outputs to which it adds its results instead of overwriting them. With `accumulate` (weight gradients
/// over micro-batches) it adds to all outputs except those in `written`; only ops with Op::adds_to_some may have any
/// there.
struct Computation {
  OpPtr op;
  bool accumulate = false;
  std::vector<int> written = {};

  bool adds_to(int output) const {
    return accumulate && std::find(written.begin(), written.end(), output) == written.end();
  }
};

}  // namespace ddlbench::graph
