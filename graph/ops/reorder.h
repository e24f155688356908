#pragma once

#include "graph/attributes.h"
#include "graph/op.h"

namespace ddlbench::graph {

/// (x[N, C, …]) -> x with channels in blocks of `channel_block`, which must divide C (throws ContractError). A block of
/// 1 is row-major.
struct Reorder final : Op {
  explicit Reorder(std::int64_t block) : channel_block(block) {}
  std::int64_t channel_block;

  std::string_view kind() const override { return "reorder"; }
  std::string attributes() const override { return attribute_text("channel_block", channel_block); }
  std::vector<TensorType> infer(Types inputs) const override;
  std::vector<Signature> signatures(Types inputs) const override;
  void differentiate(Differentiation& d) const override;
  bool takes_channel_blocks() const override { return true; }
};

}  // namespace ddlbench::graph
