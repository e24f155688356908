#pragma once

#include <cublasLt.h>

#include <string>

#include "platform/shared_library.h"

namespace ddlbench::kernels::cuda::blas {

/// What is used of cuBLASLt, by its own names without "cublasLt". It is loaded when it is first asked for: linked to
/// the binary it takes 150 MB and 0.3 s of every process (13.1), also where that computes on processors.
struct Library {
  /// `file` as dlopen takes it. Throws DeviceError, which says what is missing.
  explicit Library(const std::string& file);

  decltype(&cublasLtGetVersion) get_version;
  decltype(&cublasLtGetStatusString) get_status_string;
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtDestroy) destroy;
  decltype(&cublasLtMatrixLayoutCreate) matrix_layout_create;
  decltype(&cublasLtMatrixLayoutDestroy) matrix_layout_destroy;
  decltype(&cublasLtMatmulDescCreate) matmul_desc_create;
  decltype(&cublasLtMatmulDescDestroy) matmul_desc_destroy;
  decltype(&cublasLtMatmulDescSetAttribute) matmul_desc_set_attribute;
  decltype(&cublasLtMatmulPreferenceCreate) matmul_preference_create;
  decltype(&cublasLtMatmulPreferenceDestroy) matmul_preference_destroy;
  decltype(&cublasLtMatmulPreferenceSetAttribute) matmul_preference_set_attribute;
  decltype(&cublasLtMatmulAlgoGetHeuristic) matmul_algo_get_heuristic;
  decltype(&cublasLtMatmulAlgoConfigGetAttribute) matmul_algo_config_get_attribute;
  decltype(&cublasLtMatmul) matmul;

 private:
  platform::SharedLibrary file_;
};

/// That of the major version that this was built with, to the end of the process. Throws DeviceError.
const Library& library();

}  // namespace ddlbench::kernels::cuda::blas
