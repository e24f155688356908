#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/choose.h"
#include "kernels/cuda/finish.h"
#include "kernels/device.h"

namespace ddlbench::kernels::cuda {

/// An algorithm of a library, ready to run on operands with the alignments of the binding. Its outputs are those of the
/// op, except that the first may be workspace instead.
class Product {
 public:
  virtual ~Product() = default;
  virtual std::size_t workspace_bytes() const = 0;
  virtual void run(const void* const* inputs, void* const* outputs, void* workspace) = 0;
};

/// An implementation of a ProductOp's product. Together with the work that is left after it, it becomes a
/// KernelCandidate.
struct Candidate {
  std::string name;       ///< identifies it in the library
  bool finished = false;  ///< includes bias and activation, or the bias gradient
  bool adds = false;      ///< adds to its output, if the binding accumulates
  /// Returns null or throws as KernelCandidate::make does.
  std::function<std::unique_ptr<Product>()> make;
  TensorCores tensor_cores = TensorCores::unknown;
  int library = 0;  ///< if two have candidates: as many of each are tried
};

/// Returns a kernel that runs the kernel of the product and then does what an unfinished candidate leaves to do.
using Complete = std::function<std::unique_ptr<Kernel>(std::unique_ptr<Kernel>)>;

/// An op that is a product of a library and the work that is left after it.
struct ProductOp {
  own::Finish finish;  ///< with the binding's `accumulate`
  int bias = -1;       ///< index of the input, or −1
  bool empty = false;  ///< the sums are over nothing: the library is not used
  double flops = 0;
  /// Set for ops with a bias gradient.
  Complete complete = {};
};

/// Returns an op without bias and activation. `output` is the shape of its first output around its features.
ProductOp op_of(const Binding& binding, const auto& z, const AroundDimension& output) {
  return {.finish = {output, binding.outputs[0].dtype, graph::Activation::none, binding.accumulate},
          .empty = z.empty(),
          .flops = z.flops()};
}

using LaunchFinish = std::function<void(const own::Finish& finish, const void* sums, const void* bias, void* output)>;

/// Returns a kernel that runs `product`, which a candidate made, and then does what is left of the op. `product` is
/// null if the sums are over nothing.
std::unique_ptr<Kernel> make_product_kernel(const LaunchFinish& launch_finish, const ProductOp& op, bool finished,
                                            bool adds, std::unique_ptr<Product> product);

/// Returns a kernel that runs the fastest of `candidates` (kernels/cuda/choose.h) and then does what is left of the op.
std::unique_ptr<Kernel> choose_kernel(const Context& context, const Binding& binding, const ProductOp& op,
                                      const std::vector<Candidate>& candidates);

/// Returns a function that appends the bias gradient to the kernel of the weights: the sum of input 1 around its
/// features, written to output 1.
Complete with_bias_gradient(const Context& context, const Binding& binding, graph::Features features);

}  // namespace ddlbench::kernels::cuda
