#pragma once

#include "graph/op.h"

namespace ddlbench::graph {

/// (tokens i32[B, S], table[V, H]) -> y[B, S, H]: row `token` of the table at each position. For a token outside [0,
/// V), the launch throws InputError, or writes a row of NaN on devices whose kernels cannot throw.
struct Embedding final : Op {
  std::string_view kind() const override { return "embedding"; }
  std::vector<TensorType> infer(Types inputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
  void differentiate(Differentiation& d) const override;
  bool gathers_from(int input) const override { return input == 1; }
  std::optional<Indices> indices(Types inputs) const override { return Indices{0, inputs[1].shape[0], false}; }
};

/// (tokens i32[B, S], dy[B, S, H]) -> dtable[V, H]: each row is the sum of dy at the positions of its token. The order
/// of summation depends only on the positions, not on the number of threads. Only shape inference of the whole tensor
/// uses V.
struct EmbeddingBackwardWeight final : Op {
  explicit EmbeddingBackwardWeight(std::int64_t v) : vocabulary(v) {}
  std::int64_t vocabulary;

  std::string_view kind() const override { return "embedding_backward_weight"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
};

/// (x[B, S, H], p[S, H]) -> x + p in every sample: learned position embeddings.
struct AddPositions final : Op {
  std::string_view kind() const override { return "add_positions"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 1; }
  std::vector<Signature> signatures(Types inputs) const override;
  void differentiate(Differentiation& d) const override;
};

/// (dy[B, S, H]) -> dp[S, H] = the sum of dy over the samples.
struct AddPositionsBackwardWeight final : Op {
  std::string_view kind() const override { return "add_positions_backward_weight"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 1; }
  std::vector<Signature> signatures(Types inputs) const override;
};

}  // namespace ddlbench::graph
