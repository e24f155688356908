#include "graph/ops/low_rank.h"

#include <algorithm>

#include "kernels/functors/low_rank.h"
#include "kernels/operands.h"
#include "kernels/own/bind.h"
#include "kernels/reference/ops.h"
#include "kernels/sizes/low_rank.h"

namespace ddlbench::kernels::reference {
namespace {

double dot(const float* a, const float* b, std::int64_t size) {
  double sum = 0;
  for (std::int64_t i = 0; i < size; ++i) sum += double{a[i]} * double{b[i]};
  return sum;
}

template <class T>
void project(const LowRankSizes& z, const Arguments& a, std::int64_t elements) {
  float *sums = output(a, 0), *m = output(a, 1);
  const float* q = input(a, 2);
  for (std::int64_t i = 0; i < elements; ++i) m[i] = own::to_f32(input_of<T>(a, 0)[i]) + input(a, 1)[i];
  for (const LowRankMatrix& matrix : z.matrices)
    for (int k = 0; k < z.rank; ++k)
      for (std::int64_t row = 0; row < matrix.rows; ++row)
        sums[matrix.p + k * matrix.rows + row] = static_cast<float>(
            dot(m + matrix.begin + row * matrix.columns, q + matrix.q + k * matrix.columns, matrix.columns));
  for (const LowRankVector& vector : z.vectors) std::copy_n(m + vector.begin, vector.size, sums + vector.at);
}

void orthogonalise(const LowRankMatrix& matrix, int rank, const float* p, float* result) {
  const std::int64_t rows = matrix.rows;
  for (int k = 0; k < rank; ++k) {
    float* column = result + matrix.p + k * rows;
    std::copy_n(p + matrix.p + k * rows, rows, column);
    const double before = dot(column, column, rows);
    for (int earlier = 0; earlier < k; ++earlier) {
      const float* other = result + matrix.p + earlier * rows;
      const double share = dot(column, other, rows);
      for (std::int64_t i = 0; i < rows; ++i) column[i] = static_cast<float>(column[i] - share * other[i]);
    }
    const double scale = column_scale(before, dot(column, column, rows));
    for (std::int64_t i = 0; i < rows; ++i) column[i] = scale == 0 ? 0 : static_cast<float>(column[i] * scale);
  }
}

void project_back(const LowRankMatrix& matrix, int rank, int ranks, const Arguments& a) {
  const float *m = input(a, 0) + matrix.begin, *p = input(a, 1) + matrix.p;
  for (int k = 0; k < rank; ++k) {
    const float* column = p + k * matrix.rows;
    const bool is_zero = std::all_of(column, column + matrix.rows, [](float value) { return value == 0; });
    for (std::int64_t j = 0; j < matrix.columns; ++j) {
      const std::int64_t at = matrix.q + k * matrix.columns + j;
      double sum = 0;
      for (std::int64_t row = 0; row < matrix.rows; ++row) sum += double{column[row]} * m[row * matrix.columns + j];
      output(a, 0)[at] = static_cast<float>(is_zero ? input(a, 2)[at] / ranks : sum);
    }
  }
}

template <class T>
void reconstruct(const LowRankSizes& z, int ranks, const Arguments& a) {
  const float *sums = input(a, 0), *q = input(a, 1), *m = input(a, 2);
  for (const LowRankMatrix& matrix : z.matrices)
    for (std::int64_t i = 0; i < matrix.rows * matrix.columns; ++i) {
      const std::int64_t row = i / matrix.columns, column = i % matrix.columns, at = matrix.begin + i;
      double sum = 0;
      for (int k = 0; k < z.rank; ++k)
        sum += double{sums[matrix.p + k * matrix.rows + row]} * double{q[matrix.q + k * matrix.columns + column]};
      output(a, 1)[at] = static_cast<float>(m[at] - sum / ranks);
      output_of<T>(a, 0)[at] = own::from_f32<T>(static_cast<float>(sum));
    }
  for (const LowRankVector& vector : z.vectors)
    for (std::int64_t i = 0; i < vector.size; ++i) {
      output_of<T>(a, 0)[vector.begin + i] = own::from_f32<T>(sums[vector.at + i]);
      output(a, 1)[vector.begin + i] = 0;
    }
}

}  // namespace

DDLBENCH_REFERENCE_KERNEL(low_rank_project, Storage::any_float) {
  const auto z = sizes_of_low_rank_project(binding);
  return own::with_storage(binding.inputs[0].dtype, [&]<class T>(own::StorageTag<T>) {
    return make_kernel(binding, [z, elements = attributes_of<graph::LowRankOp>(binding).layout.elements](
                                    const Arguments& a) { project<T>(z, a, elements); });
  });
}

DDLBENCH_REFERENCE_KERNEL(low_rank_orthogonalise) {
  const auto z = sizes_of_low_rank_orthogonalise(binding);
  return make_kernel(binding, [z](const Arguments& a) {
    for (const LowRankMatrix& matrix : z.matrices) orthogonalise(matrix, z.rank, input(a, 0), output(a, 0));
  });
}

DDLBENCH_REFERENCE_KERNEL(low_rank_project_back) {
  const auto z = sizes_of_low_rank_project_back(binding);
  return make_kernel(binding, [z, ranks = attributes_of<graph::LowRankProjectBack>(binding).ranks](const Arguments& a) {
    for (const LowRankMatrix& matrix : z.matrices) project_back(matrix, z.rank, ranks, a);
  });
}

DDLBENCH_REFERENCE_KERNEL(low_rank_reconstruct, Storage::any_float) {
  const auto z = sizes_of_low_rank_reconstruct(binding);
  return own::with_storage(binding.outputs[0].dtype, [&]<class T>(own::StorageTag<T>) {
    return make_kernel(binding, [z, ranks = attributes_of<graph::LowRankReconstruct>(binding).ranks](
                                    const Arguments& a) { reconstruct<T>(z, ranks, a); });
  });
}

}  // namespace ddlbench::kernels::reference
