#pragma once

#include "graph/op.h"

namespace ddlbench::graph {

/// (x[N, C, H, W]) -> y[N, C, P, Q], argmax u8[N, C, P, Q]: the row-major index within the window of
/// the first largest element. No padding; kernel * kernel <= 256.
struct MaxPool2d final : Op {
  MaxPool2d(int k, int s) : kernel(k), stride(s) {}
  int kernel;
  int stride;

  std::string_view kind() const override { return "max_pool2d"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
  void differentiate(Differentiation& d) const override;
};

/// (dy[N, C, P, Q], argmax) -> dx[N, C, H, W]. H and W serve the inference of the whole tensor alone.
struct MaxPool2dBackward final : Op {
  MaxPool2dBackward(int k, int s, std::int64_t h, std::int64_t w) : kernel(k), stride(s), height(h), width(w) {}
  int kernel;
  int stride;
  std::int64_t height;
  std::int64_t width;

  std::string_view kind() const override { return "max_pool2d_backward"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
};

}  // namespace ddlbench::graph
