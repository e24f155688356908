#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "graph/dtype.h"
#include "kernels/alignment.h"
#include "kernels/cuda/blas/handle.h"
#include "kernels/cuda/product_kernel.h"

namespace ddlbench::kernels::cuda::blas {

/// Where a factor lies: rows of the matrix or of its transpose.
struct Factor {
  int input = 0;  ///< which of the op's
  bool transposed = false;
  std::int64_t alignment = full_alignment;  ///< of its address (kernels/alignment.h)
  std::int64_t row = 0;                     ///< elements from one row to the next; 0: rows lie dense
};

/// c[m, n] = f(a[m, k] · b[k, n] + bias[n]), or c plus the product; beside c the sums of a's rows, [m], the
/// gradient of a bias where a is dzᵀ. Sums are in f32.
struct MatrixProduct {
  std::int64_t m = 0, n = 0, k = 0;
  Factor a, b;
  graph::DType factors = graph::DType::f32;
  graph::DType output = graph::DType::f32;  ///< that of the factors, or f32
  bool tf32 = false;
  bool add = false;        ///< without bias and relu
  int bias = -1;           ///< which of the op's inputs
  bool relu = false;       ///< with a bias or without
  int bias_gradient = -1;  ///< which of the op's outputs the sums of a's rows are; without `add`, bias and relu
  std::int64_t c_alignment = full_alignment;
  std::int64_t bias_alignment = full_alignment;  ///< or of its gradient
  std::int64_t output_row = 0;                   ///< as Factor::row
};

/// The library counts columns first: what it is asked for is cᵀ = bᵀ · aᵀ, each matrix as it lies.
struct ColumnMajor {
  explicit ColumnMajor(const MatrixProduct& product);

  struct Matrix {
    std::int64_t rows = 0, columns = 0;  ///< as it lies
    bool transposed = false;
    std::int64_t alignment = full_alignment;
    std::int64_t leading = 0;  ///< elements from one column to the next
  };
  Matrix a, b, c;  ///< a is the product's b, and b its a
};

/// Stands for an address of that alignment where the library takes that from its value alone: heuristics are asked with
/// it as the bias's (CUBLASLT_MATMUL_DESC_BIAS_POINTER). It points to nothing.
const void* address_aligned_to(std::int64_t alignment);

/// Whether all addresses and leading dimensions are multiples of 16 bytes, as algorithms on tensor cores want them.
bool fully_aligned(const MatrixProduct& product);

/// Its algorithms for operands so aligned, those first that the heuristics think fastest, each as a candidate. All sum
/// in an order that does not change from run to run. Without a handle there is one, which cannot be run, and whose name
/// says what heuristics would be asked.
std::vector<Candidate> candidates_for(const Blas& blas, cudaStream_t stream, const MatrixProduct& product,
                                      bool finished);

}  // namespace ddlbench::kernels::cuda::blas
