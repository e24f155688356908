#include "kernels/cuda/blas/handle.h"

#include <fmt/core.h>
#include <string>

#include "kernels/cuda/blas/library.h"
#include "kernels/cuda/check.h"
#include "kernels/cuda/memory.h"

namespace ddlbench::kernels::cuda {

Blas::~Blas() {
  if (handle != nullptr) blas::library().destroy(handle);
}

namespace blas {

std::shared_ptr<Blas> make_handle() {
  auto made = std::make_shared<Blas>();
  check(library().create(&made->handle), "cublasLtCreate");
  return made;
}

void check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_ALLOC_FAILED) {
    throw OutOfMemory(std::string("cuBLASLt could not allocate the memory for ") + what);
  }
  if (status != CUBLAS_STATUS_SUCCESS)
    throw DeviceError(fmt::format("{}: {}", what, library().get_status_string(status)));
}

}  // namespace blas
}  // namespace ddlbench::kernels::cuda
