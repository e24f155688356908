#include "graph/ops/conv2d.h"

#include <memory>
#include <optional>

#include "kernels/binding.h"
#include "kernels/cuda/blas/handle.h"
#include "kernels/cuda/dnn/convolution.h"
#include "kernels/cuda/dnn/plan.h"
#include "kernels/cuda/linear.h"
#include "kernels/cuda/ops.h"
#include "kernels/cuda/product_kernel.h"
#include "kernels/rewrite/convolution_as_linear.h"

namespace ddlbench::kernels::cuda {
namespace {

using dnn::Convolution;
using dnn::Direction;

/// Ids of the tensors of an op: the inputs, then the output.
using Ids = std::vector<std::int64_t>;

class ConvolutionProduct final : public Product {
 public:
  ConvolutionProduct(const Dnn& dnn, const dnn::Descriptor& configuration, Ids ids)
      : dnn_(dnn), plan_(dnn, configuration), ids_(std::move(ids)), pointers_(ids_.size()) {}

  std::size_t workspace_bytes() const override { return plan_.workspace_bytes(); }
  void run(const void* const* inputs, void* const* outputs, void* workspace) override {
    for (std::size_t i = 0; i + 1 < ids_.size(); ++i) pointers_[i] = const_cast<void*>(inputs[i]);
    pointers_.back() = outputs[0];
    plan_.run(dnn_, ids_, pointers_, workspace);
  }

 private:
  const Dnn& dnn_;
  dnn::Plan plan_;
  Ids ids_;
  std::vector<void*> pointers_;
};

/// The candidates for an op, and why cuDNN has none.
struct Found {
  std::vector<Candidate> candidates;
  std::string why_none;
};

void append(Found& found, const Context& context, const Convolution& convolution, bool finished, const Ids& ids) {
  std::shared_ptr<const dnn::Configurations> configurations;
  try {
    configurations = std::make_shared<dnn::Configurations>(*context.dnn, dnn::graph_of(convolution),
                                                           dnn::engines_for(context, convolution.dtype));
  } catch (const dnn::DnnError& error) {
    found.why_none = error.what();
    return;
  }
  found.why_none = configurations->why_none();
  for (std::size_t i = 0; i < configurations->size(); ++i) {
    const auto make = [&dnn = *context.dnn, configurations, i, ids]() -> std::unique_ptr<Product> {
      try {
        return std::make_unique<ConvolutionProduct>(dnn, (*configurations)[i], ids);
      } catch (const dnn::DnnError&) {
        return nullptr;
      }
    };
    const dnn::Descriptor& configuration = (*configurations)[i];
    const bool tensor_cores = dnn::Notes(configuration).has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
    found.candidates.push_back(
        {dnn::name_of(configuration), finished, false, make, tensor_cores ? TensorCores::yes : TensorCores::no});
  }
}

std::unique_ptr<Kernel> choose_kernel(const Context& context, const Binding& binding, const ProductOp& op,
                                      const Found& found) {
  expect(binding, op.empty || !found.candidates.empty(), found.why_none);
  return cuda::choose_kernel(context, binding, op, found.candidates);
}

/// Appends the candidates of a matrix product if the convolution is one. Without a GPU, cuBLASLt cannot be queried.
void append_products(Found& found, const Context& context, const Binding& binding) {
  const auto linear = as_linear(binding);
  if (!linear || context.blas->handle == nullptr) return;
  for (Candidate& product : linear_candidates(context, *linear)) {
    product.library = 1;
    found.candidates.push_back(std::move(product));
  }
}

/// Returns the shape of the output around its features.
AroundDimension around_features(const ConvolutionSizes& z) {
  return z.y_block == 1 ? AroundDimension{z.n, z.k, z.p * z.q} : AroundDimension{z.n * z.p * z.q, z.k, 1};
}

/// Returns the alignment of what the product writes: the output, or, if the result is added to the output afterwards,
/// workspace.
std::int64_t alignment_of_result(const Binding& binding) {
  return binding.accumulate ? full_alignment : binding.output_alignment(0);
}

std::unique_ptr<Kernel> bind_forward(const Context& context, const Binding& binding) {
  const auto z = sizes_of_conv2d(binding, Storage::any_float);
  const auto& attributes = attributes_of<graph::Conv2d>(binding);
  const bool relu = attributes.activation == graph::Activation::relu;
  ProductOp op = op_of(binding, z, around_features(z));
  op.finish.activation = attributes.activation;
  if (attributes.bias) op.bias = 2;
  const Binding seen = for_library(context, binding, op);
  Found found;
  if (!op.empty) {
    Convolution convolution{Direction::forward, z, binding.inputs[0].dtype, attributes.bias, relu};
    convolution.alignments = {seen.input_alignment(0), seen.input_alignment(1), alignment_of_result(seen)};
    if (attributes.bias) convolution.alignments.bias = seen.input_alignment(2);
    if (attributes.bias ? fuses_bias(context, seen, op.bias) : relu) {
      const Ids ids =
          attributes.bias ? Ids{dnn::id_x, dnn::id_w, dnn::id_bias, dnn::id_y} : Ids{dnn::id_x, dnn::id_w, dnn::id_y};
      append(found, context, convolution, true, ids);
    }
    convolution.bias = convolution.relu = false;
    append(found, context, convolution, false, {dnn::id_x, dnn::id_w, dnn::id_y});
    append_products(found, context, binding);
  }
  return choose_kernel(context, binding, op, found);
}

std::unique_ptr<Kernel> bind_backward_input(const Context& context, const Binding& binding) {
  const auto z = sizes_of_conv2d_backward_input(binding, Storage::any_float);
  ProductOp op = op_of(binding, z, {z.n, z.c, z.h * z.w});
  const Binding seen = for_library(context, binding, op);
  Found found;
  if (!op.empty) {
    Convolution convolution{Direction::backward_input, z, binding.inputs[0].dtype};
    convolution.alignments = {alignment_of_result(seen), seen.input_alignment(1), seen.input_alignment(0)};
    append(found, context, convolution, false, {dnn::id_y, dnn::id_w, dnn::id_x});
    append_products(found, context, binding);
  }
  return choose_kernel(context, binding, op, found);
}

std::unique_ptr<Kernel> bind_backward_weight(const Context& context, const Binding& binding) {
  const auto z = sizes_of_conv2d_backward_weight(binding, Storage::any_float);
  ProductOp op = op_of(binding, z, {z.k, z.group_channels(), z.r * z.s});
  if (attributes_of<graph::Conv2dBackwardWeight>(binding).bias)
    op.complete = with_bias_gradient(context, binding, graph::Features::second);
  const Binding seen = for_library(context, binding, op);
  Found found;
  if (!op.empty) {
    Convolution convolution{Direction::backward_weight, z, binding.inputs[0].dtype};
    convolution.alignments = {seen.input_alignment(0), alignment_of_result(seen), seen.input_alignment(1)};
    append(found, context, convolution, false, {dnn::id_x, dnn::id_y, dnn::id_w});
    append_products(found, context, binding);
  }
  return choose_kernel(context, binding, op, found);
}

}  // namespace

void add_conv2d(KernelTable& table, const Context& context) {
  table.add("conv2d", Channels::last, [&context](const Binding& binding) { return bind_forward(context, binding); });
}

void add_conv2d_backward_input(KernelTable& table, const Context& context) {
  table.add("conv2d_backward_input", Channels::last,
            [&context](const Binding& binding) { return bind_backward_input(context, binding); });
}

void add_conv2d_backward_weight(KernelTable& table, const Context& context) {
  table.add("conv2d_backward_weight", Channels::last,
            [&context](const Binding& binding) { return bind_backward_weight(context, binding); });
}

}  // namespace ddlbench::kernels::cuda
