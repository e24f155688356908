#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace ddlbench::kernels::cuda {

/// What the GPU or one of its libraries reported: neither a person's input nor a defect of the program.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws std::bad_alloc where memory ran out, else DeviceError: "what: the runtime's words (its name)".
void check(cudaError_t code, const char* what);

/// Of the launch just made, with nothing waited for.
inline void check_launch(const char* kernel) {
  check(cudaPeekAtLastError(), kernel);
}

}  // namespace ddlbench::kernels::cuda
