#pragma once

#include "graph/op.h"

namespace ddlbench::graph {

/// () -> u8[tensors]: 0 for the tensors [begin, end), which are ready on this rank, and 1 for all others. So the
/// maximum over ranks is 0 for the tensors that are ready on all of them.
struct MarkReady final : Op {
  MarkReady(std::int64_t of, Extent these) : tensors(of), ready(these) {}
  std::int64_t tensors;
  Extent ready;

  std::string_view kind() const override { return "mark_ready"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
};

/// (marks u8[cycles · tensors], x[1]) -> x, or NaN unless the marks of some cycle have 0 for every tensor: a step in
/// which the ranks did not agree about a gradient must not count. The output may be x.
struct ConfirmReady final : Op {
  explicit ConfirmReady(std::int64_t of) : tensors(of) {}
  std::int64_t tensors;

  std::string_view kind() const override { return "confirm_ready"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
};

}  // namespace ddlbench::graph
