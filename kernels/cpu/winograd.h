#pragma once

#include "kernels/device.h"
#include "kernels/sizes/layers.h"

/// Convolutions of 3 × 3 windows of stride 1 by Winograd's minimal filtering, F(4×4, 3×3) of Lavin & Gray 2016: outputs
/// in tiles of 4 × 4, each from 6 × 6 inputs, with 36 multiplications in place of 144. Tiles are transformed for a lot
/// of them, weights for a few outputs, that both stay in caches until they are multiplied; the library writes all
/// transformed weights, four times as many numbers as it was given, to memory and reads them again. (VGG-16's
/// convolutions of 512 channels at 14 × 14, 4 images on one thread of Zen 5: forward 6.8 ms, gradients of inputs 6.9,
/// of weights 7.4; the library's fastest 14.9, 15.3 and 12.8.)
///
/// Sums are in f32, in an order that threads do not change, nor, but for gradients of weights, the other images. What
/// is not finite makes its whole tile no number. Gradients of weights take 128 MB of workspace, and four times the
/// weights, at most; the others 5 MB (of more than 540 channels 64 tiles), and a few for each thread.
namespace ddlbench::kernels::cpu {

/// The channels of a vector register of the processors that this is compiled for.
std::int64_t winograd_channel_block();

/// Windows of 3 × 3, stride 1, padding up to 2, neither groups nor dilation, nothing empty; channels in an even number
/// of such blocks. Where the library's blocks (onednn::channel_block) are others than those, as on a processor of a
/// higher level than this is compiled for, there is none.
bool has_winograd(const ConvolutionSizes& z);

/// Each is bound to operands of f32 or bf16, checked by sizes_of_…, and has results of their type.
std::unique_ptr<Kernel> winograd_forward(int threads, const Binding& binding, const ConvolutionSizes& z);
std::unique_ptr<Kernel> winograd_backward_input(int threads, const Binding& binding, const ConvolutionSizes& z);
std::unique_ptr<Kernel> winograd_backward_weight(int threads, const Binding& binding, const ConvolutionSizes& z);

}  // namespace ddlbench::kernels::cpu
