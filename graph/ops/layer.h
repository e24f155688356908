#pragma once

#include "graph/op.h"
#include "graph/ops/activation.h"

/// What linear layers and convolutions have in common: x and y carry features in one dimension, the weight
/// has outputs in dimension 0 and inputs in dimension 1, an optional bias one value per output.
namespace ddlbench::graph {

/// Throws ContractError unless all have the elements of the first: a model is of one precision (in_precision).
void require_one_dtype(std::string_view op, Types inputs);

/// Batch; outputs ("columns"); and, where nothing but the sum follows, inputs ("rows").
std::vector<Signature> layer_signatures(bool bias, Activation activation, int features);

/// (dz, w) -> dx.
std::vector<Signature> layer_backward_input_signatures(int features);

/// (x, dz) -> dw [, db].
std::vector<Signature> layer_backward_weight_signatures(bool bias, int features);

/// {core, epilogue} (Op::split_epilogue): nothing where the layer has neither bias nor activation.
std::vector<OpPtr> layer_epilogue(OpPtr core, bool bias, Activation activation, Features features);

/// The derivative: through the activation, then by `backward_input`, where x wants one, and `backward_weight`.
void differentiate_layer(Differentiation& d, Activation activation, OpPtr backward_input, OpPtr backward_weight);

/// The gradient before the activation of output 0.
int activation_gradient(Differentiation& d, Activation activation);

/// Of an op that selects: the gradient of output 0, through the activation of its input where that is its to take
/// (Differentiation::selected_activation).
int selected_gradient(Differentiation& d);

}  // namespace ddlbench::graph
