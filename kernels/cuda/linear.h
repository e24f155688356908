#pragma once

#include <memory>
#include <vector>

#include "kernels/cuda/product_kernel.h"

namespace ddlbench::kernels::cuda {

/// Returns cuBLASLt's candidates for a linear layer or one of its gradients, whose summed dimension must not be empty.
/// Finished candidates also write the bias gradient if the layer has one. They expect the operands that for_library of
/// the layer's op describes.
std::vector<Candidate> linear_candidates(const Context& context, const Binding& binding);

/// Binds a product of the fused linear cross-entropy (BindProduct in kernels/linear_cross_entropy.h): a linear layer or
/// one of its gradients, whose logits and gradients of logits may have padded rows.
std::unique_ptr<Kernel> bind_product_of_logits(const Context& context, const Binding& binding);

}  // namespace ddlbench::kernels::cuda
