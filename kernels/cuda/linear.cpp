#include "kernels/cuda/linear.h"

#include "graph/ops/linear.h"
#include "kernels/binding.h"
#include "kernels/cuda/blas/matrix_product.h"
#include "kernels/cuda/ops.h"
#include "kernels/cuda/product_kernel.h"
#include "kernels/head_loss.h"
#include "kernels/sizes.h"

namespace ddlbench::kernels::cuda {
namespace {

using blas::MatrixProduct;

ProductOp op_of(const Binding& binding, const LinearSizes& z, std::int64_t rows, std::int64_t columns) {
  ProductOp op;
  op.finish = {{rows, columns, 1}, binding.outputs[0].dtype, graph::Activation::none, binding.accumulate};
  op.empty = z.empty();
  op.flops = z.flops();
  return op;
}

/// With bias and activation, or the bias gradient, in the product, and without.
std::vector<Candidate> candidates_of(const Context& context, MatrixProduct product) {
  auto candidates = blas::candidates_for(*context.blas, context.stream, product, true);
  if (product.bias < 0 && !product.relu && product.bias_gradient < 0) return candidates;
  product.bias = product.bias_gradient = -1;
  product.relu = false;
  for (auto& candidate : blas::candidates_for(*context.blas, context.stream, product, false))
    candidates.push_back(std::move(candidate));
  return candidates;
}

MatrixProduct product_of(const Context& context, const Binding& binding, std::int64_t m, std::int64_t n, std::int64_t k,
                         blas::Factor a, blas::Factor b) {
  a.alignment = binding.input_alignment(a.input);
  b.alignment = binding.input_alignment(b.input);
  MatrixProduct product{
      m, n, k, a, b, binding.inputs[0].dtype, binding.outputs[0].dtype, context.tf32, binding.accumulate};
  product.c_alignment = binding.output_alignment(0);
  return product;
}

std::int64_t columns(const graph::TensorType& type) {
  return type.shape.back();
}

/// `lying`: the op's types with the padding of y or dz, which `binding` is without.
std::unique_ptr<Kernel> bind_forward(const Context& context, const Binding& binding, const Binding& lying) {
  const auto z = sizes_of_linear(binding, Storage::any_float);
  const auto& attributes = attributes_of<graph::Linear>(binding);
  ProductOp op = op_of(binding, z, z.n, columns(lying.outputs[0]));
  op.finish.activation = attributes.activation;
  if (attributes.bias) op.bias = 2;
  if (op.empty) return choose_kernel(context, lying, op, {});
  MatrixProduct product = product_of(context, binding, z.n, z.out, z.in, {0, false}, {1, true});
  product.output_row = columns(lying.outputs[0]);
  product.bias = op.bias;
  product.relu = attributes.activation == graph::Activation::relu;
  if (product.bias >= 0) product.bias_alignment = binding.input_alignment(product.bias);
  product.add = binding.accumulate && product.bias < 0 && !product.relu;
  if (binding.accumulate && !product.add) product.c_alignment = full_alignment;  // it writes workspace
  return choose_kernel(context, lying, op, candidates_of(context, product));
}

std::unique_ptr<Kernel> bind_backward_input(const Context& context, const Binding& binding, const Binding& lying) {
  const auto z = sizes_of_linear_backward_input(binding, Storage::any_float);
  const ProductOp op = op_of(binding, z, z.n, z.in);
  if (op.empty) return choose_kernel(context, lying, op, {});
  const blas::Factor dz{.input = 0, .row = columns(lying.inputs[0])};
  const auto product = product_of(context, binding, z.n, z.in, z.out, dz, {1, false});
  return choose_kernel(context, lying, op, candidates_of(context, product));
}

/// The bias gradient is a candidate's where the library writes it as the op means it: it cannot add to it, and under
/// TF32 nothing says that it sums what was not rounded.
std::unique_ptr<Kernel> bind_backward_weight(const Context& context, const Binding& binding, const Binding& lying) {
  const auto z = sizes_of_linear_backward_weight(of_one_type(binding), Storage::any_float);
  const bool bias = attributes_of<graph::LinearBackwardWeight>(binding).bias;
  ProductOp op = op_of(binding, z, z.out, z.in);
  if (bias) {
    op.complete = [&context, binding](std::unique_ptr<Kernel> weights) {
      return with_bias_gradient(context, binding, std::move(weights), graph::Features::last);
    };
  }
  if (op.empty) return choose_kernel(context, lying, op, {});
  const blas::Factor dz{.input = 1, .transposed = true, .row = columns(lying.inputs[1])};
  MatrixProduct product = product_of(context, binding, z.out, z.in, z.n, dz, {0, false});
  if (!bias) return choose_kernel(context, lying, op, candidates_of(context, product));
  const bool rounds = product.factors == graph::DType::f32 && product.tf32;
  if (binding.accumulate || rounds)
    return choose_kernel(context, lying, op, blas::candidates_for(*context.blas, context.stream, product, false));
  product.bias_gradient = 1;
  product.bias_alignment = binding.output_alignment(1);
  return choose_kernel(context, lying, op, candidates_of(context, product));
}

}  // namespace

std::unique_ptr<Kernel> bind_product_of_logits(const Context& context, const Binding& binding) {
  const Binding dense = without_padding(binding);
  const auto kind = binding.op->kind();
  if (kind == "linear") return bind_forward(context, dense, binding);
  if (kind == "linear_backward_input") return bind_backward_input(context, dense, binding);
  return bind_backward_weight(context, dense, binding);
}

void add_linear(KernelTable& table, const Context& context) {
  table.add("linear", [&context](const Binding& binding) { return bind_forward(context, binding, binding); });
}

void add_linear_backward_input(KernelTable& table, const Context& context) {
  table.add("linear_backward_input",
            [&context](const Binding& binding) { return bind_backward_input(context, binding, binding); });
}

void add_linear_backward_weight(KernelTable& table, const Context& context) {
  table.add("linear_backward_weight",
            [&context](const Binding& binding) { return bind_backward_weight(context, binding, binding); });
}

}  // namespace ddlbench::kernels::cuda
