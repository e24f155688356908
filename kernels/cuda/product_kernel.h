#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/choose.h"
#include "kernels/cuda/finish.h"
#include "kernels/device.h"

namespace ddlbench::kernels::cuda {

/// An algorithm of a library, ready to run on operands as for_library() describes them. Its outputs are those of the
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

/// An input that a library gets as an aligned copy in workspace.
struct CopiedInput {
  int input = 0;
  std::size_t bytes = 0;
};

/// An op that is a product of a library and the work that is left after it.
struct ProductOp {
  own::Finish finish;  ///< with the binding's `accumulate`
  int bias = -1;       ///< index of the input, or −1
  bool empty = false;  ///< the sums are over nothing: the library is not used
  double flops = 0;
  /// Set for ops with a bias gradient.
  Complete complete = {};
  std::vector<CopiedInput> copies = {};
  bool output_in_workspace = false;  ///< the library writes aligned workspace instead of the output
  std::int64_t written_columns = 0;  ///< of output 0; the columns after them are padding; 0 if there is none
};

/// Returns the binding as a library sees it. In 16-bit types and TF32, each input except the bias, and output 0, are
/// aligned to 16 bytes, and `op` gets the copies that this takes: training LeNet in bf16, whose weights are aligned to
/// 8 bytes and one bias to 4, failed with a misaligned address in a kernel that cuDNN 9.19 or cuBLASLt 13.1 had
/// returned for these alignments. Biases and their gradients keep their alignment: see fuses_bias.
Binding for_library(const Context& context, const Binding& binding, ProductOp& op);

/// Returns whether a library may add the bias at input `bias`, or compute the bias gradient, output 1. `binding` is as
/// the library sees it.
bool fuses_bias(const Context& context, const Binding& binding, int bias);
bool fuses_bias_gradient(const Context& context, const Binding& binding, const ProductOp& op);

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
