#pragma once

#include <cublasLt.h>

#include "kernels/cuda/context.h"

namespace ddlbench::kernels::cuda {

struct Blas {
  cublasLtHandle_t handle = nullptr;  ///< none where plans are made without a GPU

  Blas() = default;
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;
  ~Blas();
};

namespace blas {

/// Of the current GPU. Throws DeviceError.
std::shared_ptr<Blas> make_handle();

/// Throws OutOfMemory (kernels/cuda/memory.h), or DeviceError: "what: the library's words".
void check(cublasStatus_t status, const char* what);

}  // namespace blas
}  // namespace ddlbench::kernels::cuda
