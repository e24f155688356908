#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace ddlbench::kernels::cuda {

/// An error that the GPU or one of its libraries reported: neither invalid input nor a bug of ddlbench.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws std::bad_alloc if memory ran out, and DeviceError with "what: the runtime's message (error name)" for any
/// other error.
void check(cudaError_t code, const char* what);

/// Checks the launch just made, without waiting for it.
inline void check_launch(const char* kernel) {
  check(cudaPeekAtLastError(), kernel);
}

}  // namespace ddlbench::kernels::cuda
