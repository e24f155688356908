#include "graph/ops/linear.h"

#include "kernels/binding.h"
#include "kernels/cpu/few_rows.h"
#include "kernels/cpu/library_kernel.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/ops.h"
#include "kernels/operands.h"

namespace ddlbench::kernels::cpu {
namespace {

using onednn::Product;

/// A kernel that computes the weight gradient with a given kernel, and then the bias gradient.
class WithBiasGradient final : public Kernel {
 public:
  WithBiasGradient(std::unique_ptr<Kernel> weights, int threads, AroundDimension dz, graph::DType dtype,
                   bool accumulate)
      : weights_(std::move(weights)), threads_(threads), dz_(dz), dtype_(dtype), accumulate_(accumulate) {}

  void launch(const Arguments& arguments) override {
    weights_->launch(arguments);
    sum_around(threads_, dz_, dtype_, arguments.inputs[1], arguments.outputs[1], accumulate_);
  }
  std::size_t workspace_bytes() const override { return weights_->workspace_bytes(); }
  double flops() const override { return weights_->flops(); }

 private:
  std::unique_ptr<Kernel> weights_;
  int threads_;
  AroundDimension dz_;
  graph::DType dtype_;
  bool accumulate_;
};

constexpr const char* own_few_rows = "few rows";

bool is_f32(const Binding& binding) {
  return binding.inputs[0].dtype == graph::DType::f32;
}

/// Returns oneDNN's primitives for a product. With few rows of activations, a copy of the other factor takes longer
/// than the product.
std::vector<Candidate> products(const Context& context, const Binding& binding, const Product& product, bool few_rows) {
  const auto reading = [&](onednn::FactorLayout right) {
    Product read = product;
    read.right_layout = right;
    return [&engine = context.engine, read, precision = precision_of(binding)] {
      return onednn::matrix_product(engine, read, precision);
    };
  };
  std::vector<Candidate> candidates{{"product", reading(onednn::FactorLayout::given)}};
  if (few_rows) return candidates;
  candidates.push_back({"product, packed right", reading(onednn::FactorLayout::packed)});
  if (!is_f32(binding)) candidates.push_back({"product, padded right", reading(onednn::FactorLayout::padded)});
  return candidates;
}

/// Computes an f32 product with oneDNN's sgemm. It packs both factors in its own buffers, so unlike `product` it is not
/// slow if rows of the right factor are a multiple of 4 KiB apart (docs/performance.md).
std::unique_ptr<Kernel> gemm(int threads, const Binding& binding, const Product& product) {
  return make_kernel(binding, [=](const Arguments& a) {
    const auto factor = [&](const onednn::Factor& factor, std::int64_t rows, std::int64_t columns) {
      return onednn::Matrix{input(a, factor.operand), factor.transposed ? rows : columns, factor.transposed};
    };
    onednn::use_threads(threads);
    onednn::multiply(product.rows, product.columns, product.depth, 1.0f,
                     factor(product.left, product.rows, product.depth),
                     factor(product.right, product.depth, product.columns), product.add, output(a, 0), product.columns);
  });
}

/// Adds `gemm` to the candidates of this folder if the product is in f32.
std::vector<OwnCandidate> with_gemm(std::vector<OwnCandidate> own, const Context& context, const Binding& binding,
                                    const Product& product) {
  if (is_f32(binding)) own.push_back({"gemm", [=, &context] { return gemm(context.threads, binding, product); }});
  return own;
}

Binding without_bias(Binding binding) {
  binding.op = std::make_shared<graph::LinearBackwardWeight>(false);
  binding.outputs.resize(1);
  return binding;
}

}  // namespace

DDLBENCH_CPU_KERNEL(linear, Storage::f32_or_bf16) {
  const auto z = sizes_of_linear(of_one_type(binding), Storage::f32_or_bf16);
  const auto& op = attributes_of<graph::Linear>(binding);
  const bool bias = op.bias, relu = op.activation == graph::Activation::relu;
  Product product{z.n, z.in, z.out, {0, false}, {1, true}, bias, relu};
  product.add = binding.accumulate && !relu;
  const auto& engine = context.engine;
  const auto precision = precision_of(binding);
  return choose_kernel(
      context, binding, z.flops(),
      {{"product", [&] { return onednn::matrix_product(engine, product, precision); }},
       {"inner product", [&] { return onednn::inner_product_forward(engine, z, bias, relu, false, precision); }},
       {"inner product, free weights",
        [&] { return onednn::inner_product_forward(engine, z, bias, relu, true, precision); }}},
      own_candidates(has_few_rows(z), own_few_rows, few_rows_linear, context, binding, z));
}

DDLBENCH_CPU_KERNEL(linear_backward_input, Storage::f32_or_bf16) {
  const auto z = sizes_of_linear_backward_input(binding, Storage::f32_or_bf16);
  Product product{z.n, z.out, z.in, {0, false}, {1, false}};
  product.add = binding.accumulate;
  return choose_kernel(
      context, binding, z.flops(), products(context, binding, product, has_few_rows(z)),
      with_gemm(own_candidates(has_few_rows(z), own_few_rows, few_rows_backward_input, context, binding, z), context,
                binding, product));
}

DDLBENCH_CPU_KERNEL(linear_backward_weight, Storage::f32_or_bf16) {
  const auto z = sizes_of_linear_backward_weight(of_one_type(binding), Storage::f32_or_bf16);
  Product product{z.out, z.n, z.in, {1, true}, {0, false}};
  product.add = binding.accumulate;
  const Binding weights_alone = without_bias(binding);
  auto weights = choose_kernel(
      context, weights_alone, z.flops(), products(context, weights_alone, product, has_few_rows(z)),
      with_gemm(own_candidates(has_few_rows(z), own_few_rows, few_rows_backward_weight, context, weights_alone, z),
                context, weights_alone, product));
  if (!attributes_of<graph::LinearBackwardWeight>(binding).bias) return weights;
  return std::make_unique<WithBiasGradient>(std::move(weights), context.threads, AroundDimension{z.n, z.out, 1},
                                            binding.inputs[1].dtype, binding.accumulate);
}

}  // namespace ddlbench::kernels::cpu
