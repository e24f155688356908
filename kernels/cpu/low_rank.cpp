#include "graph/ops/low_rank.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/vector.h"
#include "kernels/functors/low_rank.h"
#include "kernels/operands.h"
#include "kernels/own/bind.h"
#include "kernels/sizes/low_rank.h"

/// The matrices are much larger than P and Q, so that each op should take as long as it takes to read them once. A part
/// of a matrix has no result in common with another part, so results do not depend on the number of threads.
namespace ddlbench::kernels::cpu {
namespace {

constexpr int columns_at_once = 4;  ///< of P and Q
constexpr std::int64_t part_elements = 1 << 14;
constexpr std::int64_t block_columns = 512;  ///< the sums of columns_at_once of them stay in the L1 cache

/// A part of a matrix, or of a vector, of which only `begin` and `end` have a meaning.
struct Part {
  std::size_t of = 0;
  bool is_vector = false;
  std::int64_t begin = 0, end = 0;  ///< rows or columns
  std::int64_t offset = 0;          ///< number of elements of all earlier parts
};

struct Parts {
  std::vector<Part> all;
  std::int64_t elements = 0;

  void add(std::size_t of, bool is_vector, std::int64_t size, std::int64_t length, std::int64_t at_once) {
    for (std::int64_t begin = 0; begin < size; begin += at_once) {
      const std::int64_t end = std::min(begin + at_once, size);
      all.push_back(Part{of, is_vector, begin, end, elements});
      elements += (end - begin) * length;
    }
  }

  /// Calls body for every part, on up to `threads` threads.
  void each(int threads, const auto& body) const {
    parallel_for(threads, elements, elements, [&](std::int64_t begin, std::int64_t end) {
      const auto before = [](const Part& part, std::int64_t offset) { return part.offset < offset; };
      for (auto part = std::lower_bound(all.begin(), all.end(), begin, before); part != all.end() && part->offset < end;
           ++part)
        body(*part);
    });
  }
};

/// Returns parts of whole rows of matrices, and parts of vectors.
Parts parts_by_rows(const LowRankSizes& z) {
  Parts parts;
  for (std::size_t i = 0; i < z.matrices.size(); ++i)
    parts.add(i, false, z.matrices[i].rows, z.matrices[i].columns,
              std::max<std::int64_t>(part_elements / z.matrices[i].columns, 1));
  for (std::size_t i = 0; i < z.vectors.size(); ++i) parts.add(i, true, z.vectors[i].size, 1, part_elements);
  return parts;
}

/// Returns blocks of columns of matrices.
Parts parts_by_columns(const LowRankSizes& z) {
  Parts parts;
  for (std::size_t i = 0; i < z.matrices.size(); ++i)
    parts.add(i, false, z.matrices[i].columns, z.matrices[i].rows, block_columns);
  return parts;
}

/// Writes to p[k · stride] the product of a row and column k of q, for `count` columns.
template <int count>
void products_of_row(const float* row, std::int64_t size, const float* q, float* p, std::int64_t stride) {
  constexpr int lanes = vector_lanes, at_once = count == 1 ? 4 : 2;
  FloatVector<lanes> sums[count][at_once] = {};
  std::int64_t j = 0;
  for (; j + at_once * lanes <= size; j += at_once * lanes) {
    DDLBENCH_UNROLL_FULLY
    for (int u = 0; u < at_once; ++u) {
      const auto values = load_vector<lanes>(row + j + u * lanes);
      DDLBENCH_UNROLL_FULLY
      for (int k = 0; k < count; ++k) sums[k][u] += values * load_vector<lanes>(q + k * size + j + u * lanes);
    }
  }
  for (int k = 0; k < count; ++k) {
    FloatVector<lanes> total = sums[k][0];
    for (int u = 1; u < at_once; ++u) total += sums[k][u];
    float sum = sum_of<lanes>(total);
    for (std::int64_t i = j; i < size; ++i) sum += row[i] * q[k * size + i];
    p[k * stride] = sum;
  }
}

/// Calls body(first, Width<n>) for the columns of P and Q, n ≤ columns_at_once at once.
void each_columns(int rank, const auto& body) {
  int first = 0;
  for (; first + columns_at_once <= rank; first += columns_at_once) body(first, own::Width<columns_at_once>());
  if (rank - first == 3) body(first, own::Width<3>());
  if (rank - first == 2) body(first, own::Width<2>());
  if (rank - first == 1) body(first, own::Width<1>());
}

template <class T>
void add_residual(const T* g, const float* residual, float* m, std::int64_t begin, std::int64_t end) {
  DDLBENCH_INDEPENDENT
  for (std::int64_t i = begin; i < end; ++i) m[i] = own::to_f32(g[i]) + residual[i];
}

template <class T>
void project(const LowRankSizes& z, const Part& part, const Arguments& a) {
  float *sums = output(a, 0), *m = output(a, 1);
  if (part.is_vector) {
    const LowRankVector& vector = z.vectors[part.of];
    add_residual(input_of<T>(a, 0), input(a, 1), m, vector.begin + part.begin, vector.begin + part.end);
    std::copy(m + vector.begin + part.begin, m + vector.begin + part.end, sums + vector.at + part.begin);
    return;
  }
  const LowRankMatrix& matrix = z.matrices[part.of];
  for (std::int64_t row = part.begin; row < part.end; ++row) {
    const std::int64_t begin = matrix.begin + row * matrix.columns;
    add_residual(input_of<T>(a, 0), input(a, 1), m, begin, begin + matrix.columns);
    each_columns(z.rank, [&](int k, auto count) {
      products_of_row<count>(m + begin, matrix.columns, input(a, 2) + matrix.q + k * matrix.columns,
                             sums + matrix.p + k * matrix.rows + row, matrix.rows);
    });
  }
}

double product(const float* a, const float* b, std::int64_t size) {
  constexpr std::int64_t lanes = 16;
  std::array<double, lanes> partial{};
  std::int64_t i = 0;
  for (; i + lanes <= size; i += lanes)
    for (std::int64_t l = 0; l < lanes; ++l)
      partial[static_cast<std::size_t>(l)] += double{a[i + l]} * double{b[i + l]};
  double sum = 0;
  for (; i < size; ++i) sum += double{a[i]} * double{b[i]};
  for (const double lane : partial) sum += lane;
  return sum;
}

void orthogonalise(const LowRankMatrix& matrix, int rank, const float* p, float* result) {
  const std::int64_t rows = matrix.rows;
  for (int k = 0; k < rank; ++k) {
    float* column = result + matrix.p + k * rows;
    if (p != result) std::copy_n(p + matrix.p + k * rows, rows, column);
    const double before = product(column, column, rows);
    for (int earlier = 0; earlier < k; ++earlier) {
      const float* other = result + matrix.p + earlier * rows;
      const auto share = static_cast<float>(product(column, other, rows));
      DDLBENCH_INDEPENDENT
      for (std::int64_t i = 0; i < rows; ++i) column[i] -= share * other[i];
    }
    const double scale = column_scale(before, product(column, column, rows));
    if (scale == 0) {
      std::fill_n(column, rows, 0.0F);
      continue;
    }
    DDLBENCH_INDEPENDENT
    for (std::int64_t i = 0; i < rows; ++i) column[i] = static_cast<float>(column[i] * scale);
  }
}

/// Adds to `count` rows of sums the products of some rows of the matrix, and of their elements of P.
template <int count, int rows>
void add_products(float (*sums)[block_columns], const float* m, std::int64_t row_stride, std::int64_t size,
                  const float* p, std::int64_t p_stride) {
  constexpr int lanes = vector_lanes;
  std::int64_t j = 0;
  for (; j + lanes <= size; j += lanes) {
    FloatVector<lanes> values[rows];
    DDLBENCH_UNROLL_FULLY
    for (int r = 0; r < rows; ++r) values[r] = load_vector<lanes>(m + r * row_stride + j);
    DDLBENCH_UNROLL_FULLY
    for (int k = 0; k < count; ++k) {
      auto sum = load_vector<lanes>(sums[k] + j);
      DDLBENCH_UNROLL_FULLY
      for (int r = 0; r < rows; ++r) sum += p[k * p_stride + r] * values[r];
      store_vector<lanes>(sums[k] + j, sum);
    }
  }
  for (; j < size; ++j)
    for (int k = 0; k < count; ++k)
      for (int r = 0; r < rows; ++r) sums[k][j] += p[k * p_stride + r] * m[r * row_stride + j];
}

void project_back(const LowRankSizes& z, const Part& part, float ranks, const Arguments& a) {
  const LowRankMatrix& matrix = z.matrices[part.of];
  const float *m = input(a, 0) + matrix.begin + part.begin, *p = input(a, 1) + matrix.p;
  const std::int64_t size = part.end - part.begin;
  each_columns(z.rank, [&](int first, auto count) {
    alignas(64) float sums[count][block_columns];
    for (int k = 0; k < count; ++k) std::fill_n(sums[k], size, 0.0F);
    constexpr int at_once = 4;
    std::int64_t row = 0;
    for (; row + at_once <= matrix.rows; row += at_once)
      add_products<count, at_once>(sums, m + row * matrix.columns, matrix.columns, size, p + first * matrix.rows + row,
                                   matrix.rows);
    for (; row < matrix.rows; ++row)
      add_products<count, 1>(sums, m + row * matrix.columns, matrix.columns, size, p + first * matrix.rows + row,
                             matrix.rows);
    for (int k = 0; k < count; ++k) {
      const float* column = p + (first + k) * matrix.rows;
      const bool is_zero = std::all_of(column, column + matrix.rows, [](float value) { return value == 0; });
      const std::int64_t at = matrix.q + (first + k) * matrix.columns + part.begin;
      const float* before = input(a, 2) + at;
      for (std::int64_t j = 0; j < size; ++j) output(a, 0)[at + j] = is_zero ? before[j] / ranks : sums[k][j];
    }
  });
}

/// Adds to `sum` the products of `count` elements of P, and the columns of q.
template <int count>
void add_columns(float* sum, std::int64_t size, const float* p, std::int64_t p_stride, const float* q,
                 std::int64_t q_stride) {
  constexpr int lanes = vector_lanes;
  std::int64_t j = 0;
  for (; j + lanes <= size; j += lanes) {
    auto total = load_vector<lanes>(sum + j);
    DDLBENCH_UNROLL_FULLY
    for (int k = 0; k < count; ++k) total += p[k * p_stride] * load_vector<lanes>(q + k * q_stride + j);
    store_vector<lanes>(sum + j, total);
  }
  for (; j < size; ++j)
    for (int k = 0; k < count; ++k) sum[j] += p[k * p_stride] * q[k * q_stride + j];
}

template <class T>
void reconstruct(const LowRankSizes& z, const Part& part, float share, const Arguments& a) {
  const float *sums = input(a, 0), *m = input(a, 2);
  T* g = output_of<T>(a, 0);
  float* left = output(a, 1);
  if (part.is_vector) {
    const LowRankVector& vector = z.vectors[part.of];
    for (std::int64_t i = part.begin; i < part.end; ++i) {
      g[vector.begin + i] = own::from_f32<T>(sums[vector.at + i]);
      left[vector.begin + i] = 0;
    }
    return;
  }
  const LowRankMatrix& matrix = z.matrices[part.of];
  std::array<float, block_columns> sum;
  for (std::int64_t row = part.begin; row < part.end; ++row)
    for (std::int64_t first = 0; first < matrix.columns; first += block_columns) {
      const std::int64_t size = std::min(block_columns, matrix.columns - first);
      std::fill_n(sum.begin(), size, 0.0F);
      each_columns(z.rank, [&](int k, auto count) {
        add_columns<count>(sum.data(), size, sums + matrix.p + k * matrix.rows + row, matrix.rows,
                           input(a, 1) + matrix.q + k * matrix.columns + first, matrix.columns);
      });
      const std::int64_t at = matrix.begin + row * matrix.columns + first;
      DDLBENCH_INDEPENDENT
      for (std::int64_t j = 0; j < size; ++j) {
        const float value = sum[static_cast<std::size_t>(j)];
        left[at + j] = m[at + j] - share * value;
        g[at + j] = own::from_f32<T>(value);
      }
    }
}

}  // namespace

DDLBENCH_CPU_KERNEL(low_rank_project, Storage::any_float) {
  const auto z = sizes_of_low_rank_project(binding);
  return own::with_storage(binding.inputs[0].dtype, [&]<class T>(own::StorageTag<T>) {
    return make_kernel(binding, [z, parts = parts_by_rows(z), threads = context.threads](const Arguments& a) {
      parts.each(threads, [&](const Part& part) { project<T>(z, part, a); });
    });
  });
}

DDLBENCH_CPU_KERNEL(low_rank_orthogonalise) {
  const auto z = sizes_of_low_rank_orthogonalise(binding);
  std::int64_t elements = 0;
  for (const LowRankMatrix& matrix : z.matrices) elements += z.rank * z.rank * matrix.rows;
  return make_kernel(binding, [z, elements, threads = context.threads](const Arguments& a) {
    const auto size = static_cast<std::int64_t>(z.matrices.size());
    parallel_for(threads, size, elements, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        orthogonalise(z.matrices[static_cast<std::size_t>(i)], z.rank, input(a, 0), output(a, 0));
    });
  });
}

DDLBENCH_CPU_KERNEL(low_rank_project_back) {
  const auto z = sizes_of_low_rank_project_back(binding);
  const auto ranks = static_cast<float>(attributes_of<graph::LowRankProjectBack>(binding).ranks);
  return make_kernel(binding, [z, ranks, parts = parts_by_columns(z), threads = context.threads](const Arguments& a) {
    parts.each(threads, [&](const Part& part) { project_back(z, part, ranks, a); });
  });
}

DDLBENCH_CPU_KERNEL(low_rank_reconstruct, Storage::any_float) {
  const auto z = sizes_of_low_rank_reconstruct(binding);
  const float share = 1 / static_cast<float>(attributes_of<graph::LowRankReconstruct>(binding).ranks);
  return own::with_storage(binding.outputs[0].dtype, [&]<class T>(own::StorageTag<T>) {
    return make_kernel(binding, [z, share, parts = parts_by_rows(z), threads = context.threads](const Arguments& a) {
      parts.each(threads, [&](const Part& part) { reconstruct<T>(z, part, share, a); });
    });
  });
}

}  // namespace ddlbench::kernels::cpu
