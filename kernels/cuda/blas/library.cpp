#include "kernels/cuda/blas/library.h"

#include <fmt/core.h>

#include "kernels/cuda/check.h"

namespace ddlbench::kernels::cuda::blas {

Library::Library(const std::string& file) : file_(file) {
  if (!file_.why_not().empty()) {
    throw DeviceError("cuBLASLt cannot be loaded: " + file_.why_not() +
                      "; add its folder to LD_LIBRARY_PATH, or rebuild ddlbench on this machine");
  }
  const auto find = [&](auto*& function, const char* name) {
    file_.find(function, name);
    if (function == nullptr)
      throw DeviceError(fmt::format("{} is not a cuBLASLt that ddlbench can use: it lacks {}", file, name));
  };
  find(get_version, "cublasLtGetVersion");
  find(get_status_string, "cublasLtGetStatusString");
  find(create, "cublasLtCreate");
  find(destroy, "cublasLtDestroy");
  find(matrix_layout_create, "cublasLtMatrixLayoutCreate");
  find(matrix_layout_destroy, "cublasLtMatrixLayoutDestroy");
  find(matmul_desc_create, "cublasLtMatmulDescCreate");
  find(matmul_desc_destroy, "cublasLtMatmulDescDestroy");
  find(matmul_desc_set_attribute, "cublasLtMatmulDescSetAttribute");
  find(matmul_preference_create, "cublasLtMatmulPreferenceCreate");
  find(matmul_preference_destroy, "cublasLtMatmulPreferenceDestroy");
  find(matmul_preference_set_attribute, "cublasLtMatmulPreferenceSetAttribute");
  find(matmul_algo_get_heuristic, "cublasLtMatmulAlgoGetHeuristic");
  find(matmul_algo_config_get_attribute, "cublasLtMatmulAlgoConfigGetAttribute");
  find(matmul, "cublasLtMatmul");
}

const Library& library() {
  // The library is never closed: handles, and what the CUDA runtime has registered of its kernels, may outlive any
  // owner.
  static const Library& loaded = *new Library(fmt::format("libcublasLt.so.{}", CUBLAS_VER_MAJOR));
  return loaded;
}

}  // namespace ddlbench::kernels::cuda::blas
