#include "kernels/cuda/linear.h"

#include "graph/ops/linear.h"
#include "kernels/binding.h"
#include "kernels/cuda/blas/matrix_product.h"
#include "kernels/cuda/ops.h"
#include "kernels/cuda/product_kernel.h"
#include "kernels/linear_cross_entropy.h"
#include "kernels/sizes/layers.h"

namespace ddlbench::kernels::cuda {
namespace {

using blas::MatrixProduct;

/// An op and its matrix product.
struct Layer {
  ProductOp op;
  MatrixProduct product;
  bool whole = true;  ///< the product may include bias and activation, or the bias gradient
};

/// Returns candidates that compute the product alone and, if `whole`, also ones that compute the rest with it.
std::vector<Candidate> candidates_of(const Context& context, Layer layer) {
  MatrixProduct& product = layer.product;
  if (!layer.whole) return blas::candidates_for(*context.blas, context.stream, product, false);
  auto candidates = blas::candidates_for(*context.blas, context.stream, product, true);
  if (product.bias < 0 && !product.relu && product.bias_gradient < 0) return candidates;
  product.bias = product.bias_gradient = -1;
  product.relu = false;
  for (auto& candidate : blas::candidates_for(*context.blas, context.stream, product, false))
    candidates.push_back(std::move(candidate));
  return candidates;
}

/// Returns the product alone. It adds to the output if the op does and the output is where the product is written.
MatrixProduct product_of(const Context& context, const Binding& binding, const ProductOp& op, std::int64_t m,
                         std::int64_t n, std::int64_t k, blas::Factor a, blas::Factor b) {
  a.alignment = binding.input_alignment(a.input);
  b.alignment = binding.input_alignment(b.input);
  MatrixProduct product{m,
                        n,
                        k,
                        a,
                        b,
                        binding.inputs[0].dtype,
                        binding.outputs[0].dtype,
                        context.tf32,
                        binding.accumulate && !op.output_in_workspace};
  product.c_alignment = binding.output_alignment(0);
  return product;
}

std::int64_t columns(const graph::TensorType& type) {
  return type.shape.back();
}

/// `padded` has the op's types with the padding of y or dz; `binding` has them without it.
Layer forward(const Context& context, const Binding& binding, const Binding& padded) {
  const auto z = sizes_of_linear(binding, Storage::any_float);
  const auto& attributes = attributes_of<graph::Linear>(binding);
  ProductOp op = op_of(binding, z, {z.n, columns(padded.outputs[0]), 1});
  op.finish.activation = attributes.activation;
  if (attributes.bias) op.bias = 2;
  const Binding seen = for_library(context, binding, op);
  if (columns(padded.outputs[0]) > z.out) {
    op.written_columns = z.out;
    require(op.bias < 0 && op.finish.activation == graph::Activation::none && !binding.accumulate &&
                !op.output_in_workspace,
            "a linear layer with padded rows is more than a product");
  }
  Layer layer{op, product_of(context, seen, op, z.n, z.out, z.in, {0, false}, {1, true})};
  MatrixProduct& product = layer.product;
  product.output_row = columns(padded.outputs[0]);
  const bool relu = attributes.activation == graph::Activation::relu;
  if (op.bias >= 0 || relu) product.add = false;
  if (binding.accumulate && !product.add) product.c_alignment = full_alignment;  // the product writes workspace
  layer.whole = op.bias < 0 || fuses_bias(context, seen, op.bias);
  if (!layer.whole) return layer;
  product.bias = op.bias;
  product.relu = relu;
  if (product.bias >= 0) product.bias_alignment = seen.input_alignment(product.bias);
  return layer;
}

Layer backward_input(const Context& context, const Binding& binding, const Binding& padded) {
  const auto z = sizes_of_linear_backward_input(binding, Storage::any_float);
  const blas::Factor dz{.input = 0, .row = columns(padded.inputs[0])};
  ProductOp op = op_of(binding, z, {z.n, z.in, 1});
  const Binding seen = for_library(context, binding, op);
  return {op, product_of(context, seen, op, z.n, z.in, z.out, dz, {1, false})};
}

/// A candidate computes the bias gradient only if the library writes it as the op defines it: the library cannot
/// accumulate it, and it does not document that the sums under TF32 are of unrounded values.
Layer backward_weight(const Context& context, const Binding& binding, const Binding& padded) {
  const auto z = sizes_of_linear_backward_weight(of_one_type(binding), Storage::any_float);
  const blas::Factor dz{.input = 1, .transposed = true, .row = columns(padded.inputs[1])};
  ProductOp op = op_of(binding, z, {z.out, z.in, 1});
  const Binding seen = for_library(context, binding, op);
  Layer layer{op, product_of(context, seen, op, z.out, z.in, z.n, dz, {0, false})};
  if (!attributes_of<graph::LinearBackwardWeight>(binding).bias) return layer;
  layer.op.complete = with_bias_gradient(context, binding, graph::Features::last);
  MatrixProduct& product = layer.product;
  const bool rounds = product.factors == graph::DType::f32 && product.tf32;
  layer.whole = !binding.accumulate && !rounds && fuses_bias_gradient(context, seen, op);
  if (!layer.whole) return layer;
  product.bias_gradient = 1;
  product.bias_alignment = seen.output_alignment(1);
  return layer;
}

Layer layer_of(const Context& context, const Binding& binding, const Binding& padded) {
  const std::string_view kind = binding.op->kind();
  if (kind == "linear") return forward(context, binding, padded);
  if (kind == "linear_backward_input") return backward_input(context, binding, padded);
  return backward_weight(context, binding, padded);
}

std::unique_ptr<Kernel> bind(const Context& context, const Binding& binding, const Binding& padded) {
  const Layer layer = layer_of(context, binding, padded);
  return choose_kernel(context, padded, layer.op,
                       layer.op.empty ? std::vector<Candidate>{} : candidates_of(context, layer));
}

void add(KernelTable& table, const Context& context, const char* kind) {
  table.add(kind, [&context](const Binding& binding) { return bind(context, binding, binding); });
}

}  // namespace

std::vector<Candidate> linear_candidates(const Context& context, const Binding& binding) {
  return candidates_of(context, layer_of(context, binding, binding));
}

std::unique_ptr<Kernel> bind_product_of_logits(const Context& context, const Binding& binding) {
  return bind(context, without_padding(binding), binding);
}

void add_linear(KernelTable& table, const Context& context) {
  add(table, context, "linear");
}

void add_linear_backward_input(KernelTable& table, const Context& context) {
  add(table, context, "linear_backward_input");
}

void add_linear_backward_weight(KernelTable& table, const Context& context) {
  add(table, context, "linear_backward_weight");
}

}  // namespace ddlbench::kernels::cuda
