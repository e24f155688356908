#pragma once

#include <cublasLt.h>

#include <string>

#include "platform/shared_library.h"

namespace ddlbench::kernels::cuda::blas {

/// The functions of cuBLASLt that ddlbench uses, under their own names without "cublasLt". The library is loaded on
/// first use: if it were linked, it would cost every process 150 MB and 0.3 s (version 13.1), even a process that
/// computes on CPUs.
struct Library {
  /// Loads `file`, a name or path as for dlopen. Throws DeviceError, which states what is missing.
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

/// Returns the library of the major version that ddlbench was built with. It stays loaded until the process ends.
/// Throws DeviceError if it cannot be loaded.
const Library& library();

}  // namespace ddlbench::kernels::cuda::blas
