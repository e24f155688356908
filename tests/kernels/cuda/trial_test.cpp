#include "kernels/cuda/trial.h"

#include <new>
#include <utility>

#include "catch.h"
#include "kernels/cuda/check.h"

using namespace ddlbench::kernels;
using cuda::DeviceError;

namespace {

/// A GPU whose launches check the last error, as ours do, and leave one if they are rejected.
struct FakeGpu {
  cudaError_t last = cudaSuccess;
  cudaError_t failure = cudaSuccess;  ///< of the GPU itself; every later call reports it

  cuda::ErrorState errors() {
    return {[this] { return std::exchange(last, cudaSuccess); }, [this] { return failure; }};
  }
  void launch(cudaError_t rejection = cudaSuccess) {
    if (rejection != cudaSuccess) last = rejection;
    if (last != cudaSuccess) throw DeviceError("a launch was refused");
    if (failure != cudaSuccess) throw DeviceError("the GPU failed");
  }
};

}  // namespace

TEST_CASE("a candidate whose launch is rejected is excluded, and no later launch reports the error") {
  FakeGpu gpu;
  CHECK_FALSE(cuda::runs([&] { gpu.launch(cudaErrorInvalidValue); }, gpu.errors()));
  CHECK(gpu.last == cudaSuccess);
  CHECK(cuda::runs([&] { gpu.launch(); }, gpu.errors()));
}

TEST_CASE("an error that making a candidate left does not exclude another candidate") {
  FakeGpu gpu;
  gpu.last = cudaErrorLaunchOutOfResources;
  CHECK(cuda::runs([&] { gpu.launch(); }, gpu.errors()));
}

TEST_CASE("a failure of the GPU during a trial is not a rejected launch") {
  FakeGpu gpu;
  gpu.failure = cudaErrorIllegalAddress;
  CHECK_THROWS_AS(cuda::runs([&] { gpu.launch(); }, gpu.errors()), DeviceError);
}

TEST_CASE("errors other than a rejected launch end the trial") {
  FakeGpu gpu;
  CHECK_THROWS_AS(cuda::runs([] { throw std::bad_alloc(); }, gpu.errors()), std::bad_alloc);
}
