#pragma once

#include "graph/op.h"

namespace ddlbench::graph {

/// A square window that moves over the image, with `padding` < `kernel` on each side.
struct PoolAttributes {
  int kernel = 1;
  int stride = 1;
  int padding = 0;
  bool operator==(const PoolAttributes&) const = default;
};

struct PoolOp : Op {
  explicit PoolOp(PoolAttributes a) : geometry(a) {}
  PoolAttributes geometry;

  std::string attributes() const override;
};

/// (dy[N, C, P, Q], …) -> dx[N, C, H, W]. Only shape inference of the whole tensor uses H and W.
struct PoolBackwardOp : PoolOp {
  PoolBackwardOp(PoolAttributes a, std::int64_t h, std::int64_t w) : PoolOp(a), height(h), width(w) {}
  std::int64_t height;
  std::int64_t width;

  std::vector<TensorType> infer(Types inputs) const override;
};

/// (x[N, C, H, W]) -> y[N, C, P, Q], argmax u8[N, C, P, Q]: the row-major index within the window of its first largest
/// element. Padding is never the largest. kernel · kernel <= 256.
struct MaxPool2d final : PoolOp {
  using PoolOp::PoolOp;

  std::string_view kind() const override { return "max_pool2d"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
  bool takes_channel_blocks() const override { return true; }
  void differentiate(Differentiation& d) const override;
  bool selects() const override { return true; }
};

/// (dy[N, C, P, Q], argmax) -> dx[N, C, H, W].
struct MaxPool2dBackward final : PoolBackwardOp {
  using PoolBackwardOp::PoolBackwardOp;

  std::string_view kind() const override { return "max_pool2d_backward"; }
  double flops_per_element() const override { return 1; }
  std::vector<Signature> signatures(Types inputs) const override;
  bool takes_channel_blocks() const override { return true; }
};

/// (x[N, C, H, W]) -> y[N, C, P, Q]: the mean of each window. Padding counts as zeros (PyTorch's default).
struct AveragePool2d final : PoolOp {
  using PoolOp::PoolOp;

  std::string_view kind() const override { return "average_pool2d"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
  void differentiate(Differentiation& d) const override;
};

/// (dy[N, C, P, Q]) -> dx[N, C, H, W].
struct AveragePool2dBackward final : PoolBackwardOp {
  using PoolBackwardOp::PoolBackwardOp;

  std::string_view kind() const override { return "average_pool2d_backward"; }
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
};

/// Base of the ops between images of any size and images of `height` by `width`.
struct AdaptivePoolOp : Op {
  AdaptivePoolOp(std::int64_t h, std::int64_t w) : height(h), width(w) {}
  std::int64_t height;
  std::int64_t width;

  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
};

/// (x[N, C, H, W]) -> y[N, C, P, Q]: y[p, q] is the mean over rows ⌊pH/P⌋ to ⌈(p+1)H/P⌉ and columns likewise, as in
/// PyTorch's AdaptiveAvgPool2d. P and Q may be larger than H and W.
struct AdaptiveAveragePool2d final : AdaptivePoolOp {
  using AdaptivePoolOp::AdaptivePoolOp;

  std::string_view kind() const override { return "adaptive_average_pool2d"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  void differentiate(Differentiation& d) const override;
};

/// (dy[N, C, P, Q]) -> dx[N, C, H, W]. Only shape inference of the whole tensor uses H and W.
struct AdaptiveAveragePool2dBackward final : AdaptivePoolOp {
  using AdaptivePoolOp::AdaptivePoolOp;

  std::string_view kind() const override { return "adaptive_average_pool2d_backward"; }
  double flops(Types inputs, Types outputs) const override;
};

}  // namespace ddlbench::graph
