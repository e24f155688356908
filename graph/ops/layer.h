#pragma once

#include "graph/op.h"
#include "graph/ops/activation.h"

/// Common parts of linear layers and convolutions: x and y have features in one dimension; the weight has outputs in
/// dimension 0 and inputs in dimension 1; an optional bias has one value for each output.
namespace ddlbench::graph {

/// Throws InputError unless all inputs have the data type of the first: a model has one precision (in_precision), but a
/// graph that a user wrote may mix tokens and numbers.
void require_one_dtype(std::string_view op, Types inputs);

/// Returns the signatures that split the batch, the outputs ("columns") and, without bias and activation, the inputs
/// ("rows"). `features` is the dimension of features in x and y.
std::vector<Signature> layer_signatures(bool bias, Activation activation, int features);

/// Returns the signatures of (dz, w) -> dx.
std::vector<Signature> layer_backward_input_signatures(int features);

/// Returns the signatures of (x, dz) -> dw [, db].
std::vector<Signature> layer_backward_weight_signatures(bool bias, int features);

/// Returns {core, epilogue} (Op::split_epilogue), or {} for a layer without bias and activation.
std::vector<OpPtr> layer_epilogue(OpPtr core, bool bias, Activation activation, Features features);

/// Emits the derivative of a layer: of the activation, then `backward_input` if x needs a gradient, then
/// `backward_weight`.
void differentiate_layer(Differentiation& d, Activation activation, OpPtr backward_input, OpPtr backward_weight);

/// Emits, if necessary, the derivative of the activation of output 0, and returns the gradient before it.
int activation_gradient(Differentiation& d, Activation activation);

/// Returns the gradient of output 0 of an op with Op::selects, after the derivative of the activation of its input if
/// the op must apply that (Differentiation::selected_activation).
int selected_gradient(Differentiation& d);

}  // namespace ddlbench::graph
