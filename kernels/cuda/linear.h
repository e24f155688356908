#pragma once

#include <memory>
#include <vector>

#include "kernels/cuda/product_kernel.h"

namespace ddlbench::kernels::cuda {

/// cuBLASLt's ways to compute a linear layer, or one of its gradients, that sums over something. Those that are
/// finished write the bias gradient, too, where the layer has one.
std::vector<Candidate> linear_candidates(const Context& context, const Binding& binding);

/// A product of a head (BindProduct of kernels/head_loss.h): a linear layer or one of its gradients, where logits and
/// their gradients may lie with padding.
std::unique_ptr<Kernel> bind_product_of_logits(const Context& context, const Binding& binding);

}  // namespace ddlbench::kernels::cuda
