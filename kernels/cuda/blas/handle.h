#pragma once

#include <cublasLt.h>

#include "kernels/cuda/context.h"

namespace ddlbench::kernels::cuda {

struct Blas {
  cublasLtHandle_t handle = nullptr;  ///< null if plans are made without a GPU

  Blas() = default;
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;
  ~Blas();
};

namespace blas {

/// Makes a handle for the current GPU. Throws OutOfMemory or DeviceError.
std::shared_ptr<Blas> make_handle();

/// Throws OutOfMemory (kernels/cuda/memory.h) if an allocation failed, and DeviceError with "what: the library's
/// message" for any other error.
void check(cublasStatus_t status, const char* what);

}  // namespace blas
}  // namespace ddlbench::kernels::cuda
