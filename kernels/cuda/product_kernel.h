#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/choose.h"
#include "kernels/cuda/finish.h"
#include "kernels/device.h"

namespace ddlbench::kernels::cuda {

/// One algorithm of a library, ready, for operands that are aligned as the binding says. Its outputs are those of the
/// op, or, in place of the first, workspace.
class Product {
 public:
  virtual ~Product() = default;
  virtual std::size_t workspace_bytes() const = 0;
  virtual void run(const void* const* inputs, void* const* outputs, void* workspace) = 0;
};

/// One way to compute a ProductOp's product; a KernelCandidate comes of it, with what is left to do after it.
struct Candidate {
  std::string name;                                ///< the library's identity of it
  bool finished = false;                           ///< bias and activation, or the bias gradient, are in it
  bool adds = false;                               ///< it adds to its output, as the binding says
  std::function<std::unique_ptr<Product>()> make;  ///< nothing where the library cannot after all
  TensorCores tensor_cores = TensorCores::unknown;
  int library = 0;  ///< where two have ways: as many of each are tried
};

/// A kernel of the product, and then what a candidate that is not finished leaves to do.
using Complete = std::function<std::unique_ptr<Kernel>(std::unique_ptr<Kernel>)>;

/// An op that is one product of a library, and what is left to do after it.
struct ProductOp {
  own::Finish finish;  ///< with the binding's `accumulate`
  int bias = -1;       ///< which input
  bool empty = false;  ///< all sums are over nothing: the library is not asked
  double flops = 0;
  /// Of ops with a bias gradient.
  Complete complete = {};
};

/// Without bias and activation; `output` is its first output around its features.
ProductOp op_of(const Binding& binding, const auto& z, const AroundDimension& output) {
  return {.finish = {output, binding.outputs[0].dtype, graph::Activation::none, binding.accumulate},
          .empty = z.empty(),
          .flops = z.flops()};
}

using LaunchFinish = std::function<void(const own::Finish& finish, const void* sums, const void* bias, void* output)>;

/// `product`, a candidate's, and then what is left of the op; nothing where sums are over nothing.
std::unique_ptr<Kernel> make_product_kernel(const LaunchFinish& launch_finish, const ProductOp& op, bool finished,
                                            bool adds, std::unique_ptr<Product> product);

/// The fastest of `candidates` (kernels/cuda/choose.h), and what is left to do after it.
std::unique_ptr<Kernel> choose_kernel(const Context& context, const Binding& binding, const ProductOp& op,
                                      const std::vector<Candidate>& candidates);

/// The kernel of the weights, and then the bias gradient: the sum of input 1 around its features, into output 1.
Complete with_bias_gradient(const Context& context, const Binding& binding, graph::Features features);

}  // namespace ddlbench::kernels::cuda
