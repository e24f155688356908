#pragma once

#include "kernels/device.h"
#include "kernels/sizes/layers.h"

/// Convolutions with 3 × 3 windows and stride 1 by Winograd's minimal filtering, F(4×4, 3×3) of Lavin & Gray 2016.
/// Outputs are computed in tiles of 4 × 4, each from 6 × 6 inputs, with 36 multiplications instead of 144. Each pass
/// transforms a range of tiles, and the weights of a few output channels at a time; both stay in caches until they are
/// multiplied. oneDNN writes all transformed weights, four times as many numbers as the weights, to memory and reads
/// them again. (VGG-16's convolutions of 512 channels at 14 × 14, 4 images on one thread of Zen 5: forward 6.8 ms,
/// gradients of inputs 6.9 ms, of weights 7.4 ms; oneDNN's fastest 14.9, 15.3 and 12.8 ms.)
///
/// Sums are in f32. Their order does not depend on the number of threads nor, except for gradients of weights, on the
/// other images. NaN or infinity in an input makes its whole tile non-finite. Gradients of weights need up to 128 MB of
/// workspace plus four times the size of the weights. The others need 5 MB (with more than 540 channels, 64 tiles),
/// plus a few MB per thread.
namespace ddlbench::kernels::cpu {

/// Returns the number of channels in a vector register of the processors for which this is compiled.
std::int64_t winograd_channel_block();

/// Returns whether this implementation supports a convolution: 3 × 3 windows, stride 1, padding up to 2, no groups, no
/// dilation, no empty tensor, and an even number of channel blocks of winograd_channel_block(). It supports none if
/// oneDNN's blocks (onednn::channel_block) have another size, as on a processor of a higher level than the one for
/// which this is compiled.
bool has_winograd(const ConvolutionSizes& z);

/// Each function makes a kernel for operands in f32 or bf16, which sizes_of_… has checked. Outputs have the type of the
/// operands.
std::unique_ptr<Kernel> winograd_forward(int threads, const Binding& binding, const ConvolutionSizes& z);
std::unique_ptr<Kernel> winograd_backward_input(int threads, const Binding& binding, const ConvolutionSizes& z);
std::unique_ptr<Kernel> winograd_backward_weight(int threads, const Binding& binding, const ConvolutionSizes& z);

}  // namespace ddlbench::kernels::cpu
