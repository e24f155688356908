#pragma once

#include "kernels/cuda/dnn/graph.h"
#include "kernels/sizes/layers.h"

/// Convolutions between [n, c, h, w] and [k, c / groups, r, s], each row-major or with its channels last; sums in f32.
namespace ddlbench::kernels::cuda::dnn {

enum class Direction : std::uint8_t { forward, backward_input, backward_weight };

struct Convolution {
  Direction direction = Direction::forward;
  ConvolutionSizes sizes;
  graph::DType dtype = graph::DType::f32;
  bool bias = false;  ///< forward: added to each channel
  bool relu = false;  ///< forward: of the sum
  /// Of the tensors' addresses (kernels/alignment.h): most engines with tensor cores want 16 bytes of each.
  struct Alignments {
    std::int64_t x = full_alignment, w = full_alignment, y = full_alignment, bias = full_alignment;
  } alignments = {};
};

/// The tensors' ids: those of x, w and y, or of their gradients.
enum ConvolutionId : std::int64_t { id_x = 1, id_w = 2, id_y = 3, id_bias = 4 };

/// Throws Refusal.
Graph graph_of(const Convolution& convolution);

}  // namespace ddlbench::kernels::cuda::dnn
