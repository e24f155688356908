#include "kernels/cuda/blas/matrix_product.h"

#include <fmt/core.h>
#include <algorithm>

#include "base/error.h"
#include "kernels/cuda/blas/library.h"
#include "kernels/cuda/check.h"

namespace ddlbench::kernels::cuda::blas {
namespace {

constexpr std::size_t max_workspace = std::size_t{32} << 20;  // bytes; cuBLAS itself uses this much on sm_90

cudaDataType_t data_type(graph::DType dtype) {
  switch (dtype) {
    case graph::DType::f32:
      return CUDA_R_32F;
    case graph::DType::bf16:
      return CUDA_R_16BF;
    case graph::DType::f16:
      return CUDA_R_16F;
    default:
      throw ContractError("cuBLASLt needs a floating-point type");
  }
}

class Layout {
 public:
  Layout(cudaDataType_t type, const ColumnMajor::Matrix& matrix) {
    check(library().matrix_layout_create(&raw_, type, static_cast<std::uint64_t>(matrix.rows),
                                         static_cast<std::uint64_t>(matrix.columns), matrix.leading),
          "cublasLtMatrixLayoutCreate");
  }
  ~Layout() { library().matrix_layout_destroy(raw_); }
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;
  cublasLtMatrixLayout_t raw() const { return raw_; }

 private:
  cublasLtMatrixLayout_t raw_ = nullptr;
};

cublasLtEpilogue_t epilogue_of(const MatrixProduct& product) {
  if (product.bias_gradient >= 0) return CUBLASLT_EPILOGUE_BGRADB;  // the library's b is the product's a
  if (product.bias >= 0) return product.relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS;
  return product.relu ? CUBLASLT_EPILOGUE_RELU : CUBLASLT_EPILOGUE_DEFAULT;
}

class Description {
 public:
  Description(const MatrixProduct& product, const ColumnMajor& matrices) {
    const bool tf32 = product.factors == graph::DType::f32 && product.tf32;
    const auto compute = tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    check(library().matmul_desc_create(&raw_, compute, CUDA_R_32F), "cublasLtMatmulDescCreate");
    set(CUBLASLT_MATMUL_DESC_TRANSA, matrices.a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, matrices.b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(product));
    if (product.bias >= 0 || product.bias_gradient >= 0)
      set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, address_aligned_to(product.bias_alignment));
  }
  ~Description() { library().matmul_desc_destroy(raw_); }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;
  cublasLtMatmulDesc_t raw() const { return raw_; }

  template <class Value>
  void set(cublasLtMatmulDescAttributes_t attribute, Value value) {
    check(library().matmul_desc_set_attribute(raw_, attribute, &value, sizeof value), "cublasLtMatmulDescSetAttribute");
  }

 private:
  cublasLtMatmulDesc_t raw_ = nullptr;
};

/// Returns the reduction schemes that do not round split sums to 16 bits: a reduction in place has the output's type.
std::uint32_t reduction_schemes(graph::DType output) {
  constexpr std::uint32_t in_workspace = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  return output == graph::DType::f32 ? in_workspace | CUBLASLT_REDUCTION_SCHEME_INPLACE : in_workspace;
}

class Preference {
 public:
  Preference(graph::DType output, const ColumnMajor& matrices) {
    check(library().matmul_preference_create(&raw_), "cublasLtMatmulPreferenceCreate");
    set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{max_workspace});
    set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, reduction_schemes(output));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, static_cast<std::uint32_t>(matrices.a.alignment));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, static_cast<std::uint32_t>(matrices.b.alignment));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, static_cast<std::uint32_t>(matrices.c.alignment));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, static_cast<std::uint32_t>(matrices.c.alignment));
  }
  ~Preference() { library().matmul_preference_destroy(raw_); }
  Preference(const Preference&) = delete;
  Preference& operator=(const Preference&) = delete;
  cublasLtMatmulPreference_t raw() const { return raw_; }

 private:
  template <class Value>
  void set(cublasLtMatmulPreferenceAttributes_t attribute, Value value) {
    check(library().matmul_preference_set_attribute(raw_, attribute, &value, sizeof value),
          "cublasLtMatmulPreferenceSetAttribute");
  }

  cublasLtMatmulPreference_t raw_ = nullptr;
};

using Algorithm = cublasLtMatmulHeuristicResult_t;

/// The library's description of a product.
struct Problem {
  explicit Problem(const MatrixProduct& of)
      : product(of),
        matrices(of),
        description(of, matrices),
        a(data_type(of.factors), matrices.a),
        b(data_type(of.factors), matrices.b),
        c(data_type(of.output), matrices.c) {}

  MatrixProduct product;
  ColumnMajor matrices;
  Description description;
  Layout a, b, c;
};

class Matmul final : public Product {
 public:
  Matmul(const Blas& blas, cudaStream_t stream, std::shared_ptr<const Problem> problem, const Algorithm& algorithm)
      : blas_(blas),
        stream_(stream),
        problem_(std::move(problem)),
        description_(problem_->product, problem_->matrices),
        algorithm_(algorithm) {}

  std::size_t workspace_bytes() const override { return algorithm_.workspaceSize; }

  void run(const void* const* inputs, void* const* outputs, void* workspace) override {
    const MatrixProduct& product = problem_->product;
    void* const output = outputs[0];
    if (product.bias >= 0) description_.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, inputs[product.bias]);
    if (product.bias_gradient >= 0) description_.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, outputs[product.bias_gradient]);
    const float one = 1, beta = product.add ? 1 : 0;
    check(library().matmul(blas_.handle, description_.raw(), &one, inputs[product.b.input], problem_->a.raw(),
                           inputs[product.a.input], problem_->b.raw(), &beta, output, problem_->c.raw(), output,
                           problem_->c.raw(), &algorithm_.algo, workspace, algorithm_.workspaceSize, stream_),
          "cublasLtMatmul");
  }

 private:
  const Blas& blas_;
  cudaStream_t stream_;
  std::shared_ptr<const Problem> problem_;
  Description description_;
  Algorithm algorithm_;
};

/// Returns up to `most` algorithms in the order of the heuristics, which put the one expected to be fastest first.
std::vector<Algorithm> algorithms_for(const Blas& blas, const Problem& problem, int max_count) {
  const Preference preference(problem.product.output, problem.matrices);
  std::vector<Algorithm> results(static_cast<std::size_t>(max_count));
  int found = 0;
  const auto status = library().matmul_algo_get_heuristic(blas.handle, problem.description.raw(), problem.a.raw(),
                                                          problem.b.raw(), problem.c.raw(), problem.c.raw(),
                                                          preference.raw(), max_count, results.data(), &found);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) return {};
  check(status, "cublasLtMatmulAlgoGetHeuristic");
  results.resize(static_cast<std::size_t>(found));
  const auto failed = [](const Algorithm& one) { return one.state != CUBLAS_STATUS_SUCCESS; };
  results.erase(std::remove_if(results.begin(), results.end(), failed), results.end());
  return results;
}

/// Returns the configuration of an algorithm as text: "algorithm 66, tile 20, …".
std::string name_of(const Algorithm& algorithm) {
  std::string name = "algorithm";
  const auto add = [&](const char* what, cublasLtMatmulAlgoConfigAttributes_t attribute, auto value) {
    std::size_t written = 0;
    check(library().matmul_algo_config_get_attribute(&algorithm.algo, attribute, &value, sizeof value, &written),
          "cublasLtMatmulAlgoConfigGetAttribute");
    name += what + std::to_string(value);
  };
  add(" ", CUBLASLT_ALGO_CONFIG_ID, std::int32_t{0});
  add(", tile ", CUBLASLT_ALGO_CONFIG_TILE_ID, std::uint32_t{0});
  add(", stages ", CUBLASLT_ALGO_CONFIG_STAGES_ID, std::uint32_t{0});
  add(", split ", CUBLASLT_ALGO_CONFIG_SPLITK_NUM, std::int32_t{0});
  add(", reduction ", CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, std::uint32_t{0});
  add(", swizzle ", CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, std::uint32_t{0});
  add(", custom ", CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, std::uint32_t{0});
  add(", inner ", CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, std::uint16_t{0});
  add(", cluster ", CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, std::uint16_t{0});
  return name;
}

/// A product without an algorithm, because the heuristics cannot be queried without a GPU.
class UnrunnableProduct final : public Product {
 public:
  std::size_t workspace_bytes() const override { return 0; }
  void run(const void* const*, void* const*, void*) override {
    throw ContractError("a product cannot run without a GPU");
  }
};

/// Returns the candidate for use without a GPU. Its name is the query in the library's terms: "m 4096, n 768, k 3072,
/// leading dimensions 768, 3072, 768, aligned to 16, 16, 16 bytes".
Candidate candidate_without_gpu(const MatrixProduct& product, bool finished) {
  const ColumnMajor matrices(product);
  std::string dimensions, alignments;
  for (const ColumnMajor::Matrix* matrix : {&matrices.a, &matrices.b, &matrices.c}) {
    dimensions += (dimensions.empty() ? "" : ", ") + std::to_string(matrix->leading);
    alignments += (alignments.empty() ? "" : ", ") + std::to_string(matrix->alignment);
  }
  if (product.bias >= 0 || product.bias_gradient >= 0) alignments += fmt::format(", bias {}", product.bias_alignment);
  const bool rounds = product.factors != graph::DType::f32 || product.tf32;
  return {fmt::format("m {}, n {}, k {}, leading dimensions {}, aligned to {} bytes", matrices.c.rows,
                      matrices.c.columns, product.k, dimensions, alignments),
          finished, product.add, [] { return std::make_unique<UnrunnableProduct>(); },
          !rounds                  ? TensorCores::no
          : fully_aligned(product) ? TensorCores::yes
                                   : TensorCores::unknown};
}

}  // namespace

ColumnMajor::ColumnMajor(const MatrixProduct& product)
    : a{product.n, product.k, product.b.transposed, product.b.alignment},
      b{product.k, product.m, product.a.transposed, product.a.alignment},
      c{product.n, product.m, false, product.c_alignment} {
  if (a.transposed) std::swap(a.rows, a.columns);
  if (b.transposed) std::swap(b.rows, b.columns);
  a.leading = product.b.row > 0 ? product.b.row : a.rows;
  b.leading = product.a.row > 0 ? product.a.row : b.rows;
  c.leading = product.output_row > 0 ? product.output_row : c.rows;
}

const void* address_aligned_to(std::int64_t alignment) {
  return reinterpret_cast<const void*>(alignment);
}

bool fully_aligned(const MatrixProduct& product) {
  const ColumnMajor matrices(product);
  const auto size = static_cast<std::int64_t>(graph::size_of(product.factors));
  const auto aligned = [size](const ColumnMajor::Matrix& matrix) {
    return alignment_of(matrix.alignment, matrix.leading * size) == full_alignment;
  };
  return aligned(matrices.a) && aligned(matrices.b) && aligned(matrices.c) &&
         ((product.bias < 0 && product.bias_gradient < 0) || product.bias_alignment == full_alignment);
}

std::vector<Candidate> candidates_for(const Blas& blas, cudaStream_t stream, const MatrixProduct& product,
                                      bool finished) {
  if (blas.handle == nullptr) return {candidate_without_gpu(product, finished)};
  const auto problem = std::make_shared<const Problem>(product);
  std::vector<Candidate> candidates;
  for (const Algorithm& algorithm : algorithms_for(blas, *problem, 8)) {
    const auto make = [&blas, stream, problem, algorithm]() -> std::unique_ptr<Product> {
      return std::make_unique<Matmul>(blas, stream, problem, algorithm);
    };
    candidates.push_back({name_of(algorithm), finished, product.add, make});
  }
  return candidates;
}

}  // namespace ddlbench::kernels::cuda::blas
