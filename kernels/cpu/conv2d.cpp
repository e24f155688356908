#include "graph/ops/conv2d.h"

#include "kernels/binding.h"
#include "kernels/cpu/library_kernel.h"
#include "kernels/cpu/ops.h"

namespace ddlbench::kernels::cpu {
namespace {

using onednn::Freedom;

/// Layouts to try: all as given; only the weights free (small to rewrite); one activation free; all free.
constexpr Freedom freedoms[] = {
    {false, false, false}, {false, true, false}, {false, true, true}, {true, true, false}, {true, true, true}};

template <class Make>
std::vector<Candidate> each_freedom(Make make) {
  std::vector<Candidate> candidates;
  for (const Freedom freedom : freedoms) candidates.push_back([=] { return make(freedom); });
  return candidates;
}

}  // namespace

void add_conv2d(KernelTable& table, const Context& context) {
  table.add("conv2d", Storage::f32_or_bf16, [&context](const Binding& binding) {
    const auto z = sizes_of_conv2d(binding, Storage::f32_or_bf16);
    const auto& op = attributes_of<graph::Conv2d>(binding);
    const bool relu = op.activation == graph::Activation::relu;
    return choose_kernel(context, binding, z.flops(), each_freedom([&, bias = op.bias](Freedom freedom) {
                           return onednn::convolution_forward(context.engine, z, bias, relu, freedom,
                                                              precision_of(binding));
                         }));
  });
}

void add_conv2d_backward_input(KernelTable& table, const Context& context) {
  table.add("conv2d_backward_input", Storage::f32_or_bf16, [&context](const Binding& binding) {
    const auto z = sizes_of_conv2d_backward_input(binding, Storage::f32_or_bf16);
    return choose_kernel(context, binding, z.flops(), each_freedom([&](Freedom freedom) {
                           return onednn::convolution_backward_input(context.engine, z, freedom, precision_of(binding));
                         }));
  });
}

void add_conv2d_backward_weight(KernelTable& table, const Context& context) {
  table.add("conv2d_backward_weight", Storage::f32_or_bf16, [&context](const Binding& binding) {
    const auto z = sizes_of_conv2d_backward_weight(binding, Storage::f32_or_bf16);
    const bool bias = attributes_of<graph::Conv2dBackwardWeight>(binding).bias;
    return choose_kernel(context, binding, z.flops(), each_freedom([&](Freedom freedom) {
                           return onednn::convolution_backward_weight(context.engine, z, bias, freedom,
                                                                      precision_of(binding));
                         }));
  });
}

}  // namespace ddlbench::kernels::cpu
