#include "kernels/cuda/stream.h"

#include "kernels/cuda/check.h"

namespace ddlbench::kernels::cuda {

CudaStream::CudaStream() {
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
}

CudaStream::~CudaStream() {
  cudaStreamDestroy(stream_);
}

}  // namespace ddlbench::kernels::cuda
