#include "kernels/cuda/check.h"

#include <new>

#include "catch.h"

using namespace ddlbench::kernels;

TEST_CASE("an error of the CUDA runtime keeps its kind and names the failed action") {
  CHECK_NOTHROW(cuda::check(cudaSuccess, "copying"));
  CHECK_THROWS_AS(cuda::check(cudaErrorMemoryAllocation, "allocating"), std::bad_alloc);
  for (const cudaError_t code : {cudaErrorLaunchFailure, cudaErrorECCUncorrectable, cudaErrorStreamCaptureIsolation}) {
    std::string error;
    try {
      cuda::check(code, "adding rows");
    } catch (const cuda::DeviceError& failed) {
      error = failed.what();
    }
    CHECK(error.rfind("adding rows: ", 0) == 0);
    CHECK(error.find(cudaGetErrorName(code)) != std::string::npos);
  }
}
