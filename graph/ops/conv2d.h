#pragma once

#include "graph/op.h"
#include "graph/ops/activation.h"

namespace ddlbench::graph {

/// The attributes of the three convolution ops, the same for height and width. The channels of x and of the output are
/// divided into `groups` equal groups, and output group i depends only on input group i. Therefore, with more than one
/// group, a shard of channels consists of whole groups, and its op has fewer groups (Op::at).
struct ConvolutionAttributes {
  int stride = 1;
  int padding = 0;
  int dilation = 1;
  int groups = 1;
  bool operator==(const ConvolutionAttributes&) const = default;
};

struct Convolution : Op {
  Convolution(ConvolutionAttributes a, std::int64_t block) : geometry(a), channel_block(block) {}
  ConvolutionAttributes geometry;
  std::int64_t channel_block;  ///< of the first output; independent of the inputs' blocks

  std::string attributes() const override;
  bool takes_channel_blocks() const override { return true; }
};

/// (x[N, C, H, W], w[K, C / groups, R, S][, b[K]]) -> y[N, K, P, Q] = f(x ∗ w + b), a cross-correlation.
struct Conv2d final : Convolution {
  Conv2d(ConvolutionAttributes a, bool with_bias, Activation f, std::int64_t block = 1)
      : Convolution(a, block), bias(with_bias), activation(f) {}
  bool bias;
  Activation activation;

  std::string_view kind() const override { return "conv2d"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
  void differentiate(Differentiation& d) const override;
  Activation last_activation() const override { return activation; }
  std::shared_ptr<const Op> at(std::span<const Extent> box, const Shape& shape) const override;
  std::vector<OpPtr> split_epilogue() const override;
};

/// (dz[N, K, P, Q], w[K, C / groups, R, S]) -> dx[N, C, H, W]. Only shape inference of the whole tensor uses H and W.
struct Conv2dBackwardInput final : Convolution {
  Conv2dBackwardInput(ConvolutionAttributes a, std::int64_t h, std::int64_t w, std::int64_t block = 1)
      : Convolution(a, block), height(h), width(w) {}
  std::int64_t height;
  std::int64_t width;

  std::string_view kind() const override { return "conv2d_backward_input"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
  std::shared_ptr<const Op> at(std::span<const Extent> box, const Shape& shape) const override;
};

/// (x[N, C, H, W], dz[N, K, P, Q]) -> dw[K, C / groups, R, S] [, db[K]]. Only shape inference of the whole tensor uses
/// R.
struct Conv2dBackwardWeight final : Convolution {
  Conv2dBackwardWeight(ConvolutionAttributes a, std::int64_t r, bool with_bias, std::int64_t block = 1)
      : Convolution(a, block), kernel(r), bias(with_bias) {}
  std::int64_t kernel;
  bool bias;

  std::string_view kind() const override { return "conv2d_backward_weight"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
  std::shared_ptr<const Op> at(std::span<const Extent> box, const Shape& shape) const override;
};

}  // namespace ddlbench::graph
