#pragma once

#include "graph/op.h"

namespace ddlbench::graph {

/// (x[N, C, …]) -> x with channels in blocks of `channel_block`, which divides C; 1 is row-major.
struct Reblock final : Op {
  explicit Reblock(std::int64_t block) : channel_block(block) {}
  std::int64_t channel_block;

  std::string_view kind() const override { return "reblock"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types, Types) const override { return 0; }
  std::vector<Signature> signatures(Types inputs) const override;
  void differentiate(Differentiation& d) const override;
  bool takes_channel_blocks() const override { return true; }
};

}  // namespace ddlbench::graph
