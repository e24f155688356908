#pragma once

#include "kernels/cuda/dnn/graph.h"
#include "kernels/sizes/layers.h"

/// Convolutions of [n, c, h, w] with [k, c / groups, r, s], each row-major or channels-last, with sums in f32.
namespace ddlbench::kernels::cuda::dnn {

enum class Direction : std::uint8_t { forward, backward_input, backward_weight };

struct Convolution {
  Direction direction = Direction::forward;
  ConvolutionSizes sizes;
  graph::DType dtype = graph::DType::f32;
  bool bias = false;  ///< forward only: added to each channel
  bool relu = false;  ///< forward only: applied to the sum
  /// Alignments of the tensors' addresses (kernels/alignment.h). Most engines with tensor cores need 16 bytes for each.
  struct Alignments {
    std::int64_t x = full_alignment, w = full_alignment, y = full_alignment, bias = full_alignment;
  } alignments = {};
};

/// Ids of the tensors x, w and y, or of their gradients, and of the bias.
enum ConvolutionId : std::int64_t { id_x = 1, id_w = 2, id_y = 3, id_bias = 4 };

/// Throws DnnError.
Graph graph_of(const Convolution& convolution);

}  // namespace ddlbench::kernels::cuda::dnn
