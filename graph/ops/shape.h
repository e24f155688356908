#pragma once

#include <fmt/core.h>

#include "graph/attributes.h"
#include "graph/op.h"

namespace ddlbench::graph {

/// (x[N, a, b, …]) -> [N, a·b·…]. A view.
struct Flatten final : Op {
  std::string_view kind() const override { return "flatten"; }
  std::vector<TensorType> infer(Types inputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
  void differentiate(Differentiation& d) const override;
  bool is_view() const override { return true; }
};

/// The inverse of Flatten: (x[N, a·b·…]) -> [N, a, b, …]. Only shape inference of the whole tensor uses the attribute.
struct Unflatten final : Op {
  explicit Unflatten(Shape sample_shape) : sample(std::move(sample_shape)) {}
  Shape sample;

  std::string_view kind() const override { return "unflatten"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
  bool is_view() const override { return true; }
};

/// (a, b) -> a + b, of equal types.
struct Add final : Op {
  std::string_view kind() const override { return "add"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 1; }
  std::vector<Signature> signatures(Types inputs) const override;
  bool takes_channel_blocks() const override { return true; }
  void differentiate(Differentiation& d) const override;
};

/// Base of the three ops before and after a collective along an inner dimension: collectives transfer only contiguous
/// parts. The parts are part_of(size of `dimension`, parts, i, unit).
struct PartsOp : Op {
  PartsOp(int d, int p, std::int64_t u = 1) : dimension(d), parts(p), unit(u) {}
  int dimension;
  int parts;
  std::int64_t unit;

  std::string attributes() const override {
    return attribute_text("dimension", dimension, "parts", parts, "unit", unit);
  }
  std::vector<TensorType> infer(Types inputs) const override { return {inputs[0]}; }
};

/// (x) -> the elements of x as `parts` contiguous blocks, one after another. Block i is part i of x. Input and output
/// have the same type.
struct SplitParts final : PartsOp {
  using PartsOp::PartsOp;
  std::string_view kind() const override { return "split_parts"; }
};

/// The inverse of SplitParts.
struct JoinParts final : PartsOp {
  using PartsOp::PartsOp;
  std::string_view kind() const override { return "join_parts"; }
};

/// (x) -> part `index` of `dimension`.
struct Slice final : PartsOp {
  Slice(int d, int p, int i, std::int64_t u = 1) : PartsOp(d, p, u), index(i) {}
  int index;

  std::string_view kind() const override { return "slice"; }
  std::string attributes() const override {
    return fmt::format("{} {}", PartsOp::attributes(), attribute_text("index", index));
  }
  std::vector<TensorType> infer(Types inputs) const override;
};

}  // namespace ddlbench::graph
