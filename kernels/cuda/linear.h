#pragma once

#include "kernels/cuda/context.h"
#include "kernels/device.h"

namespace ddlbench::kernels::cuda {

/// A product of a head (BindProduct of kernels/head_loss.h): a linear layer or one of its gradients, where logits and
/// their gradients may lie with padding.
std::unique_ptr<Kernel> bind_product_of_logits(const Context& context, const Binding& binding);

}  // namespace ddlbench::kernels::cuda
