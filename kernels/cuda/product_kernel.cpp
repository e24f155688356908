#include "kernels/cuda/product_kernel.h"

#include <algorithm>
#include <optional>

#include "kernels/binding.h"
#include "kernels/cuda/check.h"
#include "kernels/cuda/ops.h"
#include "kernels/cuda/workspace.h"

namespace ddlbench::kernels::cuda {
namespace {

class ProductKernel final : public Kernel {
 public:
  ProductKernel(const LaunchFinish& launch_finish, const ProductOp& op, bool finished, bool adds,
                std::unique_ptr<Product> product)
      : launch_finish_(launch_finish), op_(op), product_(std::move(product)), finished_(finished) {
    const own::Finish& finish = op_.finish;
    const bool separate_sums = product_ != nullptr && (op_.output_in_workspace || (finish.accumulate && !adds));
    if (!separate_sums && product_ != nullptr) op_.finish.accumulate = false;  // the product's sums are in the output
    needs_finish_ = product_ == nullptr || separate_sums ||
                    (!finished && (op.bias >= 0 || finish.activation != graph::Activation::none));
    if (product_ != nullptr) workspace_bytes_ = aligned_bytes(product_->workspace_bytes());
    if (!separate_sums) return;
    sums_offset_ = workspace_bytes_;
    workspace_bytes_ += static_cast<std::size_t>(finish.around.elements()) * graph::size_of(finish.dtype);
  }

  void launch(const Arguments& arguments) override {
    void* const output = arguments.outputs[0];
    void* sums = nullptr;
    if (product_ != nullptr) {
      char* const workspace = aligned_workspace(arguments.workspace);
      sums = sums_offset_ ? workspace + *sums_offset_ : output;
      product_->run(arguments.inputs, sums_offset_ ? &sums : arguments.outputs, workspace);
    }
    if (!needs_finish_) return;
    own::Finish finish = op_.finish;
    if (finished_) finish.activation = graph::Activation::none;
    const void* bias = op_.bias >= 0 && !finished_ ? arguments.inputs[op_.bias] : nullptr;
    launch_finish_(finish, sums, bias, output);
  }
  std::size_t workspace_bytes() const override { return bytes_with_alignment(workspace_bytes_); }
  double flops() const override { return op_.flops; }

 private:
  LaunchFinish launch_finish_;
  ProductOp op_;
  std::unique_ptr<Product> product_;
  bool finished_;
  bool needs_finish_ = false;
  std::size_t workspace_bytes_ = 0;
  std::optional<std::size_t> sums_offset_;  ///< in the workspace, of sums that are then written or added to the output
};

/// A product that gets some of its inputs as copies in workspace.
class OfCopies final : public Product {
 public:
  OfCopies(cudaStream_t stream, std::vector<CopiedInput> copies, std::size_t inputs, std::unique_ptr<Product> product)
      : stream_(stream), copies_(std::move(copies)), inputs_(inputs), product_(std::move(product)) {
    for (const CopiedInput& copy : copies_) bytes_ += aligned_bytes(copy.bytes);
  }

  std::size_t workspace_bytes() const override { return bytes_ + product_->workspace_bytes(); }
  void run(const void* const* inputs, void* const* outputs, void* workspace) override {
    std::copy_n(inputs, inputs_.size(), inputs_.begin());
    char* to = static_cast<char*>(workspace);
    for (const CopiedInput& copy : copies_) {
      const void*& input = inputs_[static_cast<std::size_t>(copy.input)];
      check(cudaMemcpyAsync(to, input, copy.bytes, cudaMemcpyDeviceToDevice, stream_), "aligning an operand");
      input = to;
      to += aligned_bytes(copy.bytes);
    }
    product_->run(inputs_.data(), outputs, to);
  }

 private:
  cudaStream_t stream_;
  std::vector<CopiedInput> copies_;
  std::vector<const void*> inputs_;
  std::unique_ptr<Product> product_;
  std::size_t bytes_ = 0;  ///< of the copies
};

class WithBiasGradient final : public Kernel {
 public:
  WithBiasGradient(std::unique_ptr<Kernel> weights, std::unique_ptr<Kernel> bias)
      : weights_(std::move(weights)), bias_(std::move(bias)) {}
  void launch(const Arguments& arguments) override {
    weights_->launch(arguments);
    bias_->launch({arguments.inputs + 1, arguments.outputs + 1, arguments.workspace, arguments.scalars});
  }
  std::size_t workspace_bytes() const override {
    return std::max(weights_->workspace_bytes(), bias_->workspace_bytes());
  }
  double flops() const override { return weights_->flops(); }

 private:
  std::unique_ptr<Kernel> weights_, bias_;
};

LaunchFinish on_gpu(const Context& context) {
  return [&context](const own::Finish& finish, const void* sums, const void* bias, void* output) {
    launch_finish(context, finish, sums, bias, output);
  };
}

std::unique_ptr<Kernel> make(const Context& context, const Binding& binding, const ProductOp& op,
                             const Candidate& candidate) {
  auto product = candidate.make();
  if (product == nullptr) return nullptr;
  if (!op.copies.empty())
    product = std::make_unique<OfCopies>(context.stream, op.copies, binding.inputs.size(), std::move(product));
  return make_product_kernel(on_gpu(context), op, candidate.finished, candidate.adds, std::move(product));
}

bool trusts_alignment(const Context& context, const Binding& binding) {
  return binding.inputs[0].dtype == graph::DType::f32 && !context.tf32;
}

}  // namespace

Binding for_library(const Context& context, const Binding& binding, ProductOp& op) {
  if (trusts_alignment(context, binding) || fully_aligned(binding)) return binding;
  Binding aligned = binding;
  aligned.input_alignments.assign(binding.inputs.size(), full_alignment);
  for (std::size_t i = 0; i < binding.inputs.size(); ++i) {
    const int input = static_cast<int>(i);
    if (input == op.bias) {
      aligned.input_alignments[i] = binding.input_alignment(input);
    } else if (binding.input_alignment(input) < full_alignment) {
      op.copies.push_back({input, graph::bytes(binding.inputs[i])});
    }
  }
  op.output_in_workspace = binding.output_alignment(0) < full_alignment;
  if (!aligned.output_alignments.empty()) aligned.output_alignments[0] = full_alignment;
  return aligned;
}

bool fuses_bias(const Context& context, const Binding& binding, int bias) {
  return trusts_alignment(context, binding) || binding.input_alignment(bias) >= full_alignment;
}

bool fuses_bias_gradient(const Context& context, const Binding& binding, const ProductOp& op) {
  if (op.output_in_workspace) return false;
  return trusts_alignment(context, binding) || binding.output_alignment(1) >= full_alignment;
}

std::unique_ptr<Kernel> make_product_kernel(const LaunchFinish& launch_finish, const ProductOp& op, bool finished,
                                            bool adds, std::unique_ptr<Product> product) {
  auto kernel = std::make_unique<ProductKernel>(launch_finish, op, finished, adds, std::move(product));
  if (finished || !op.complete) return kernel;
  return op.complete(std::move(kernel));
}

std::unique_ptr<Kernel> choose_kernel(const Context& context, const Binding& binding, const ProductOp& op,
                                      const std::vector<Candidate>& candidates) {
  if (op.empty) return make_product_kernel(on_gpu(context), op, false, false, nullptr);
  std::vector<KernelCandidate> kernels;
  for (const Candidate& candidate : candidates) {
    const bool may_hide_nan = candidate.finished && op.finish.activation != graph::Activation::none;
    kernels.push_back({candidate.name + (candidate.finished ? ", finished" : ""),
                       2 * candidate.library + (candidate.finished ? 1 : 0), may_hide_nan,
                       [&] { return make(context, binding, op, candidate); }, candidate.tensor_cores,
                       op.written_columns});
  }
  return choose_fastest(context, binding, kernels);
}

Complete with_bias_gradient(const Context& context, const Binding& binding, graph::Features features) {
  const Binding bias{
      {std::make_shared<graph::BiasBackward>(features), binding.accumulate}, {binding.inputs[1]}, {binding.outputs[1]}};
  return [&context, bias](std::unique_ptr<Kernel> weights) {
    KernelTable table("cuda");
    add_bias_backward(table, context);
    return std::make_unique<WithBiasGradient>(std::move(weights), table.bind(bias));
  };
}

}  // namespace ddlbench::kernels::cuda
