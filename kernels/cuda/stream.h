#pragma once

#include <cuda_runtime_api.h>

namespace ddlbench::kernels::cuda {

/// A cudaStream_t of the current GPU, destroyed with its owner. It does not wait for the default stream.
class CudaStream {
 public:
  CudaStream();  ///< throws DeviceError
  ~CudaStream();
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  cudaStream_t native() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace ddlbench::kernels::cuda
