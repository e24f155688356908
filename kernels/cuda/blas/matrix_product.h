#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "graph/dtype.h"
#include "kernels/alignment.h"
#include "kernels/cuda/blas/handle.h"
#include "kernels/cuda/product_kernel.h"

namespace ddlbench::kernels::cuda::blas {

/// The layout of a factor: rows of the matrix or of its transpose.
struct Factor {
  int input = 0;  ///< index among the op's inputs
  bool transposed = false;
  std::int64_t alignment = full_alignment;  ///< of its address (kernels/alignment.h)
  std::int64_t row = 0;                     ///< elements from one row to the next; 0 if rows are dense
};

/// c[m, n] = f(a[m, k] · b[k, n] + bias[n]), or c += a · b. Optionally also computes the sums of the rows of a, [m],
/// which are the gradient of a bias if a is dzᵀ. Sums are in f32.
struct MatrixProduct {
  std::int64_t m = 0, n = 0, k = 0;
  Factor a, b;
  graph::DType factors = graph::DType::f32;
  graph::DType output = graph::DType::f32;  ///< the type of the factors, or f32
  bool tf32 = false;
  bool add = false;        ///< c += a · b; only without bias and relu
  int bias = -1;           ///< index among the op's inputs, or −1
  bool relu = false;       ///< with or without a bias
  int bias_gradient = -1;  ///< output index of the sums of a's rows, or −1; only without `add`, bias and relu
  std::int64_t c_alignment = full_alignment;
  std::int64_t bias_alignment = full_alignment;  ///< of the bias or of its gradient
  std::int64_t output_row = 0;                   ///< as Factor::row
};

/// The product in the library's column-major terms: cᵀ = bᵀ · aᵀ. The memory layout of each matrix is unchanged.
struct ColumnMajor {
  explicit ColumnMajor(const MatrixProduct& product);

  struct Matrix {
    std::int64_t rows = 0, columns = 0;  ///< as stored
    bool transposed = false;
    std::int64_t alignment = full_alignment;
    std::int64_t leading = 0;  ///< elements from one column to the next
  };
  Matrix a, b, c;  ///< a is the product's b, and b its a
};

/// Returns a placeholder for an address with this alignment. The library takes the alignment of a bias from the value
/// of its address (CUBLASLT_MATMUL_DESC_BIAS_POINTER), so the heuristics are queried with the placeholder. It points to
/// nothing.
const void* address_aligned_to(std::int64_t alignment);

/// Returns whether all addresses and leading dimensions are multiples of 16 bytes, as algorithms on tensor cores
/// prefer.
bool fully_aligned(const MatrixProduct& product);

/// Returns the library's algorithms for the product with its alignments, each as a candidate, in the order of the
/// heuristics. All of them sum in the same order in every run. Without a handle, returns one candidate that cannot run
/// and whose name is the query to the heuristics.
std::vector<Candidate> candidates_for(const Blas& blas, cudaStream_t stream, const MatrixProduct& product,
                                      bool finished);

}  // namespace ddlbench::kernels::cuda::blas
