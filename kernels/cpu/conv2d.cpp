#include "graph/ops/conv2d.h"

#include "kernels/binding.h"
#include "kernels/cpu/library_kernel.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/winograd.h"

namespace ddlbench::kernels::cpu {
namespace {

using onednn::ConvolutionWay;

struct NamedWay {
  const char* name;
  ConvolutionWay way;
};

/// The weights are small to rewrite, activations are not.
constexpr NamedWay ways[] = {{"as given", {false, false, false, false}},
                             {"free weights", {false, true, false, false}},
                             {"free weights and destination", {false, true, true, false}},
                             {"free weights and source", {true, true, false, false}},
                             {"free", {true, true, true, false}},
                             {"winograd", {false, true, false, true}},
                             {"free winograd", {true, true, true, true}}};

constexpr const char* own_winograd = "winograd in caches";

template <class Make>
std::vector<Candidate> each_way(const Context& context, Make make) {
  std::vector<Candidate> candidates;
  for (const auto& [name, way] : ways)
    if (context.winograd || !way.winograd) candidates.push_back({name, [=, w = way] { return make(w); }});
  return candidates;
}

bool may_have_winograd(const Context& context, const ConvolutionSizes& z) {
  return context.winograd && has_winograd(z);
}

ConvolutionSizes with_filter_in_rows(const Binding& binding, const ConvolutionSizes& z) {
  expect(binding, z.w_block == 1, "the cpu takes filters row-major");
  return z;
}

}  // namespace

void add_conv2d(KernelTable& table, const Context& context) {
  table.add(
      "conv2d", Storage::f32_or_bf16,
      [&context](const Binding& binding) {
        const auto z = with_filter_in_rows(binding, sizes_of_conv2d(binding, Storage::f32_or_bf16));
        const auto& op = attributes_of<graph::Conv2d>(binding);
        const bool relu = op.activation == graph::Activation::relu;
        return choose_kernel(
            context, binding, z.flops(),
            each_way(context,
                     [&, bias = op.bias](ConvolutionWay way) {
                       return onednn::convolution_forward(context.engine, z, bias, relu, way, precision_of(binding));
                     }),
            own_candidates(may_have_winograd(context, z), own_winograd, winograd_forward, context, binding, z));
      },
      Channels::in_blocks);
}

void add_conv2d_backward_input(KernelTable& table, const Context& context) {
  table.add(
      "conv2d_backward_input", Storage::f32_or_bf16,
      [&context](const Binding& binding) {
        const auto z = with_filter_in_rows(binding, sizes_of_conv2d_backward_input(binding, Storage::f32_or_bf16));
        return choose_kernel(
            context, binding, z.flops(),
            each_way(context,
                     [&](ConvolutionWay way) {
                       return onednn::convolution_backward_input(context.engine, z, way, precision_of(binding));
                     }),
            own_candidates(may_have_winograd(context, z), own_winograd, winograd_backward_input, context, binding, z));
      },
      Channels::in_blocks);
}

void add_conv2d_backward_weight(KernelTable& table, const Context& context) {
  table.add(
      "conv2d_backward_weight", Storage::f32_or_bf16,
      [&context](const Binding& binding) {
        const auto z = with_filter_in_rows(binding, sizes_of_conv2d_backward_weight(binding, Storage::f32_or_bf16));
        const bool bias = attributes_of<graph::Conv2dBackwardWeight>(binding).bias;
        return choose_kernel(
            context, binding, z.flops(),
            each_way(context,
                     [&](ConvolutionWay way) {
                       return onednn::convolution_backward_weight(context.engine, z, bias, way, precision_of(binding));
                     }),
            own_candidates(may_have_winograd(context, z), own_winograd, winograd_backward_weight, context, binding, z));
      },
      Channels::in_blocks);
}

}  // namespace ddlbench::kernels::cpu
