#include "kernels/sizes/low_rank.h"

namespace ddlbench::kernels {
namespace {

LowRankSizes low_rank_sizes(const Binding& binding, std::size_t inputs, std::size_t outputs) {
  const graph::LowRankLayout& layout = attributes_of<graph::LowRankOp>(binding).layout;
  expect_inferred(binding, inputs, outputs);
  expect_no_accumulation(binding);
  LowRankSizes sizes;
  sizes.rank = layout.rank;
  std::int64_t p = 0, q = 0;
  for (const graph::BucketMatrix& matrix : layout.matrices) {
    sizes.matrices.push_back({matrix.begin, matrix.rows, matrix.columns, p, q});
    p += layout.rank * matrix.rows;
    q += layout.rank * matrix.columns;
  }
  for (const graph::Extent& run : layout.vectors()) {
    sizes.vectors.push_back({run.begin, run.size(), p});
    p += run.size();
  }
  return sizes;
}

}  // namespace

LowRankSizes sizes_of_low_rank_project(const Binding& binding) {
  return low_rank_sizes(binding, 3, 2);
}

LowRankSizes sizes_of_low_rank_orthogonalise(const Binding& binding) {
  return low_rank_sizes(binding, 1, 1);
}

LowRankSizes sizes_of_low_rank_project_back(const Binding& binding) {
  return low_rank_sizes(binding, 3, 1);
}

LowRankSizes sizes_of_low_rank_reconstruct(const Binding& binding) {
  return low_rank_sizes(binding, 3, 2);
}

}  // namespace ddlbench::kernels
