#include "kernels/cuda/blas/matrix_product.h"

#include <vector>

#include "catch.h"

using namespace ddlbench;
using kernels::cuda::blas::ColumnMajor;
using kernels::cuda::blas::MatrixProduct;

namespace {

/// Returns element (row, column) of op(matrix), where matrix is column-major.
float at(const std::vector<float>& memory, const ColumnMajor::Matrix& matrix, std::int64_t row, std::int64_t column) {
  if (matrix.transposed) std::swap(row, column);
  REQUIRE(row < matrix.rows);
  REQUIRE(column < matrix.columns);
  return memory.at(static_cast<std::size_t>(column * matrix.leading + row));
}

std::vector<float> numbers(std::int64_t count) {
  std::vector<float> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(static_cast<float>(i * 5 % 7 - 3));
  return all;
}

}  // namespace

TEST_CASE("the library gets the alignment of each operand") {
  MatrixProduct product{2, 3, 4, {0, false, 8}, {1, true, 4}};
  product.c_alignment = 2;
  const ColumnMajor matrices(product);
  CHECK(matrices.a.alignment == 4);
  CHECK(matrices.b.alignment == 8);
  CHECK(matrices.c.alignment == 2);
}

TEST_CASE("a product is fully aligned if addresses and rows are multiples of 16 bytes") {
  using kernels::cuda::blas::fully_aligned;
  MatrixProduct product{64, 768, 3072, {0, false}, {1, true}, graph::DType::bf16};
  CHECK(fully_aligned(product));
  product.n = 50257;  // rows of the result have an odd length
  CHECK_FALSE(fully_aligned(product));
  product.n = 768;
  product.a.alignment = 8;
  CHECK_FALSE(fully_aligned(product));
  product.a.alignment = 16;
  product.bias = 2;
  product.bias_alignment = 2;
  CHECK_FALSE(fully_aligned(product));
}

TEST_CASE("without a GPU, a product has one candidate, whose name is the query to the library") {
  const MatrixProduct product{64, 768, 3072, {0, false}, {1, true, 8}, graph::DType::bf16};
  const auto candidates = kernels::cuda::blas::candidates_for({}, nullptr, product, false);
  REQUIRE(candidates.size() == 1);
  CHECK(candidates[0].name == "m 768, n 64, k 3072, leading dimensions 3072, 3072, 768, aligned to 8, 16, 16 bytes");
  CHECK(candidates[0].tensor_cores == kernels::cuda::TensorCores::unknown);
  CHECK_THROWS(candidates[0].make()->run(nullptr, nullptr, nullptr));
}

TEST_CASE("the placeholder for the address of a bias has exactly the alignment of the bias") {
  for (const std::int64_t alignment : {2, 4, 8, 16}) {
    const auto address = reinterpret_cast<std::uintptr_t>(kernels::cuda::blas::address_aligned_to(alignment));
    CHECK(kernels::alignment_of(static_cast<std::int64_t>(address)) == alignment);
    CHECK(address != 0);  // which heuristics would take as aligned to anything
  }
}

TEST_CASE("a row-major product is described to the library as a column-major one") {
  const std::int64_t m = 2, n = 3, k = 4;
  for (const bool a_transposed : {false, true}) {
    for (const bool b_transposed : {false, true}) {
      for (const std::int64_t padding : {0, 5}) {  // of rows
        CAPTURE(a_transposed, b_transposed, padding);
        const std::int64_t a_row = (a_transposed ? m : k) + padding, b_row = (b_transposed ? k : n) + padding;
        const auto a = numbers((a_transposed ? k : m) * a_row), b = numbers((b_transposed ? n : k) * b_row);
        MatrixProduct product{m, n, k, {0, a_transposed}, {1, b_transposed}};
        if (padding > 0) {
          product.a.row = a_row;
          product.b.row = b_row;
          product.output_row = n + padding;
        }
        const ColumnMajor matrices(product);
        CHECK(matrices.c.rows == n);
        CHECK(matrices.c.columns == m);
        CHECK(matrices.c.leading == n + padding);
        for (std::int64_t i = 0; i < m; ++i) {
          for (std::int64_t j = 0; j < n; ++j) {
            float rows = 0, columns = 0;
            for (std::int64_t l = 0; l < k; ++l) {
              const auto a_at = static_cast<std::size_t>(a_transposed ? l * a_row + i : i * a_row + l);
              const auto b_at = static_cast<std::size_t>(b_transposed ? j * b_row + l : l * b_row + j);
              rows += a[a_at] * b[b_at];
              columns += at(b, matrices.a, j, l) * at(a, matrices.b, l, i);
            }
            CHECK(columns == rows);
          }
        }
      }
    }
  }
}
