#pragma once

#include <cstdint>
#include <vector>

#include "graph/ops/low_rank.h"
#include "kernels/binding.h"

/// Sizes of the ops of graph/ops/low_rank.h.
namespace ddlbench::kernels {

/// A matrix of the bucket, and where its P and Q begin.
struct LowRankMatrix {
  std::int64_t begin = 0;
  std::int64_t rows = 0, columns = 0;
  std::int64_t p = 0, q = 0;
};

/// A vector of the bucket, and where it begins in what ranks sum.
struct LowRankVector {
  std::int64_t begin = 0;
  std::int64_t size = 0;
  std::int64_t at = 0;
};

struct LowRankSizes {
  int rank = 1;
  std::vector<LowRankMatrix> matrices;
  std::vector<LowRankVector> vectors;
};

/// Each function throws InputError if the types are inconsistent.
LowRankSizes sizes_of_low_rank_project(const Binding& binding);
LowRankSizes sizes_of_low_rank_orthogonalise(const Binding& binding);
LowRankSizes sizes_of_low_rank_project_back(const Binding& binding);
LowRankSizes sizes_of_low_rank_reconstruct(const Binding& binding);

}  // namespace ddlbench::kernels
