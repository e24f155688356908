#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graph/op.h"

/// PowerSGD (Vogels, Karimireddy & Jaggi 2019): the gradients of the matrices of a bucket, summed over ranks, are
/// approximated by P̂Qᵀ. LowRankProject computes P = MQ of each rank, which is then summed over the ranks;
/// LowRankOrthogonalise makes P̂ of the sum; LowRankProjectBack computes Q = MᵀP̂ of each rank, which is summed, too;
/// LowRankReconstruct computes P̂Qᵀ. Each op works on all matrices of a bucket.
namespace ddlbench::graph {

/// A matrix in a flat bucket, row-major from element `begin`.
struct BucketMatrix {
  std::int64_t begin = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  std::int64_t end() const { return begin + rows * columns; }
  bool operator==(const BucketMatrix&) const = default;
};

/// Returns whether P and Q of this rank have fewer elements than the matrix.
constexpr bool compresses(int rank, std::int64_t rows, std::int64_t columns) {
  return rank * (rows + columns) < rows * columns;
}

/// Which elements of a bucket are approximated: those of matrices. The others, its vectors, are summed exactly.
///
/// P is stored column by column: for each matrix, `rank` columns of as many elements as the matrix has rows. Q is, too:
/// `rank` columns of as many elements as the matrix has columns, so that each is laid out like a row of the matrix.
struct LowRankLayout {
  std::int64_t elements = 0;
  int rank = 1;
  std::vector<BucketMatrix> matrices;  ///< ascending, without overlap

  std::int64_t p_elements() const;
  std::int64_t q_elements() const;
  /// Returns the runs of elements between the matrices, in ascending order.
  std::vector<Extent> vectors() const;
  std::int64_t vector_elements() const;
  /// Returns the size of what ranks sum together: P, and then the vectors.
  std::int64_t sum_elements() const { return p_elements() + vector_elements(); }
  /// Throws ContractError if a matrix lies outside the bucket, overlaps another, or has a lower rank.
  void require_valid() const;
};

struct LowRankOp : Op {
  explicit LowRankOp(LowRankLayout of) : layout(std::move(of)) { layout.require_valid(); }
  LowRankLayout layout;

  std::string attributes() const override;

 protected:
  double matrix_elements() const { return static_cast<double>(layout.elements - layout.vector_elements()); }
};

/// (g[N], residual f32[N], Q f32) -> (sums f32, M f32[N]): M = g + residual for all elements; `sums` are P = MQ, and
/// the vectors' M. g is of any floating-point type. M may replace the residual.
struct LowRankProject final : LowRankOp {
  using LowRankOp::LowRankOp;
  std::string_view kind() const override { return "low_rank_project"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
};

/// (P f32) -> (P̂ f32): the columns of each matrix' P become orthonormal, one after the other (modified Gram–Schmidt).
/// A column of which the earlier ones leave at most 2⁻¹² of its norm becomes zero: what is left of it is rounding
/// error. NaN and infinity are never lost: such a column becomes NaN. P̂ may replace P.
struct LowRankOrthogonalise final : LowRankOp {
  using LowRankOp::LowRankOp;
  std::string_view kind() const override { return "low_rank_orthogonalise"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
};

/// (M f32[N], P̂ f32, Q f32) -> (Q f32): MᵀP̂. Where a column of P̂ is zero, the column of Q is that of the input divided
/// by `ranks`, so that the sum over the ranks is what Q was: a column that says nothing in one step begins the next one
/// as before. The output may replace the input.
struct LowRankProjectBack final : LowRankOp {
  LowRankProjectBack(LowRankLayout of, int all) : LowRankOp(std::move(of)), ranks(all) {}
  int ranks;
  std::string_view kind() const override { return "low_rank_project_back"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
};

/// (sums f32, Q f32, M f32[N]) -> (g[N], residual f32[N]): `sums` and Q are those of all ranks, P in the former is P̂. g
/// is P̂Qᵀ, and the vectors' sums, rounded to `to`. The residual is M − P̂Qᵀ / `ranks`, and 0 in vectors. It may replace
/// M.
struct LowRankReconstruct final : LowRankOp {
  LowRankReconstruct(LowRankLayout of, int all, DType type = DType::f32)
      : LowRankOp(std::move(of)), ranks(all), to(type) {}
  int ranks;
  DType to;
  std::string_view kind() const override { return "low_rank_reconstruct"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
};

}  // namespace ddlbench::graph
