#include "graph/ops/conv2d.h"

#include "kernels/binding.h"
#include "kernels/cpu/library_kernel.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/winograd.h"

namespace ddlbench::kernels::cpu {
namespace {

using onednn::ConvolutionVariant;

struct NamedVariant {
  const char* name;
  ConvolutionVariant variant;
};

/// Reordering weights is cheap, reordering activations is not.
constexpr NamedVariant variants[] = {{"as given", {false, false, false, false}},
                                     {"free weights", {false, true, false, false}},
                                     {"free weights and destination", {false, true, true, false}},
                                     {"free weights and source", {true, true, false, false}},
                                     {"free", {true, true, true, false}},
                                     {"winograd", {false, true, false, true}},
                                     {"free winograd", {true, true, true, true}}};

constexpr const char* own_winograd = "winograd in caches";

std::vector<Candidate> make_candidates(const Context& context, auto make) {
  std::vector<Candidate> candidates;
  for (const auto& [name, variant] : variants)
    if (context.winograd || !variant.winograd) candidates.push_back({name, [=, w = variant] { return make(w); }});
  return candidates;
}

/// Returns the fastest of oneDNN's implementations, which `by_library(variant, precision)` makes, and of our own, which
/// `own` makes.
std::unique_ptr<Kernel> choose(const Context& context, const Binding& binding, const ConvolutionSizes& z,
                               std::unique_ptr<Kernel> (*own)(int, const Binding&, const ConvolutionSizes&),
                               const auto& by_library) {
  expect(binding, z.w_block == 1, "the cpu needs row-major filters");
  return choose_kernel(
      context, binding, z.flops(),
      make_candidates(context, [&](ConvolutionVariant variant) { return by_library(variant, precision_of(binding)); }),
      own_candidates(context.winograd && has_winograd(z), own_winograd, own, context, binding, z));
}

template <class Make>
void add(KernelTable& table, const char* kind, const Make& make) {
  table.add(kind, Storage::f32_or_bf16, Channels::in_blocks, make);
}

}  // namespace

void add_conv2d(KernelTable& table, const Context& context) {
  add(table, "conv2d", [&context](const Binding& binding) {
    const auto z = sizes_of_conv2d(binding, Storage::f32_or_bf16);
    const auto& op = attributes_of<graph::Conv2d>(binding);
    const bool relu = op.activation == graph::Activation::relu;
    return choose(context, binding, z, winograd_forward, [&](ConvolutionVariant variant, onednn::Precision precision) {
      return onednn::convolution_forward(context.engine, z, op.bias, relu, variant, precision);
    });
  });
}

void add_conv2d_backward_input(KernelTable& table, const Context& context) {
  add(table, "conv2d_backward_input", [&context](const Binding& binding) {
    const auto z = sizes_of_conv2d_backward_input(binding, Storage::f32_or_bf16);
    return choose(context, binding, z, winograd_backward_input,
                  [&](ConvolutionVariant variant, onednn::Precision precision) {
                    return onednn::convolution_backward_input(context.engine, z, variant, precision);
                  });
  });
}

void add_conv2d_backward_weight(KernelTable& table, const Context& context) {
  add(table, "conv2d_backward_weight", [&context](const Binding& binding) {
    const auto z = sizes_of_conv2d_backward_weight(binding, Storage::f32_or_bf16);
    const bool bias = attributes_of<graph::Conv2dBackwardWeight>(binding).bias;
    return choose(context, binding, z, winograd_backward_weight,
                  [&](ConvolutionVariant variant, onednn::Precision precision) {
                    return onednn::convolution_backward_weight(context.engine, z, bias, variant, precision);
                  });
  });
}

}  // namespace ddlbench::kernels::cpu
